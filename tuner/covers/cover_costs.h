// Costs of the configurations of a cover: the one with the lowest cost answers a size.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/value.h"
#include "tuner/covers/cover_table.h"
#include "tuner/covers/launch_shape.h"
#include "tuner/covers/size_costs.h"

namespace warptune::tuner::covers {

/// The costs of configurations, which are given as indices into `configurations`.
struct CoverCosts {
  std::shared_ptr<const LaunchShape> shape;
  CostForm form;
  std::vector<model::NamedValues> configurations;
  std::vector<std::optional<SizeCost>> costs;  ///< No value: the configuration was timed at too few sizes.

  /// The expected time in us. No value if there is no cost, or if the configuration is not valid at the size.
  std::optional<double> cost_us(std::size_t configuration, const Size& size) const;
  /// The configuration with the lowest cost. No value if none has one at this size.
  std::optional<std::size_t> configuration_for(const Size& size) const;
  /// The cost as an expression of a definition. The configuration must have one.
  std::string text(std::size_t configuration) const;
};

/// Whether a configuration of the table was timed at enough of these sizes for a cost.
bool has_cost(const CoverTable& table, std::size_t configuration, const std::vector<std::size_t>& sizes);

/// Fits the costs of these configurations, which are indices into the table, to the times at these sizes of
/// the table. `form` is chosen for them if it is not given. No value without a shape in the table, or if no
/// configuration has a cost.
std::optional<CoverCosts> fit_costs(const CoverTable& table, const std::vector<std::size_t>& configurations,
                                    const std::vector<std::size_t>& sizes,
                                    const std::optional<CostForm>& form = std::nullopt);

/// What the configurations of a table lose at any size, according to costs that are fitted to the times at
/// these sizes of the table. They are fitted for configurations that were timed often enough, and were not
/// far from the best somewhere. The table must outlive this object.
class CostPredictions {
 public:
  CostPredictions(const CoverTable& table, const std::vector<std::size_t>& sizes);

  /// By configuration, as a share. No value: it has no cost. Infinite: it is not valid at the size.
  std::vector<std::optional<double>> losses_at(const Size& size) const;

 private:
  const CoverTable& table_;
  std::vector<std::size_t> candidates_;  // Indices into the table.
  std::optional<CoverCosts> costs_;      // Those of the candidates.
};

/// Chooses a configuration, as an index into `configurations` of a cover, for a size. Made from some of the
/// sizes of a table, which are indices. No value: it has no answer for the size.
using Chooser = std::function<std::optional<std::size_t>(const Size& size)>;
using ChooserOf = std::function<Chooser(const std::vector<std::size_t>& sizes)>;

/// The mean loss (logarithm) of the choices for sizes that were left out in turn, an eighth at a time. A loss
/// that is not known counts as 0.2, and none more than 1. The sizes count by their weights.
double left_out_loss(const CoverTable& table, const std::vector<std::size_t>& configurations,
                     const std::vector<std::size_t>& sizes, const ChooserOf& chooser_of);

}  // namespace warptune::tuner::covers
