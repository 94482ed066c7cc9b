// Few configurations for a range of sizes, derived from measured times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/covers/configuration_choice.h"
#include "tuner/covers/cover_costs.h"
#include "tuner/covers/cover_table.h"
#include "tuner/covers/decision_list.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// The configurations of a cover, and which of them answers which size: by a list, or by costs.
struct SizeCover {
  std::vector<std::size_t> configurations;  ///< Indices into the table.
  DecisionList list;                        ///< Its configurations are indices into `configurations`.
  /// They answer in place of the list, if they choose better at measured sizes that were left out in turn.
  std::optional<CoverCosts> costs{};
  /// At how many of the sizes that take part a configuration may answer. The other figures are of these.
  std::size_t answered = 0;
  std::size_t within = 0;   ///< At how many of them the answer is within the limit.
  std::size_t unknown = 0;  ///< At how many the answer has no time. Other figures leave these sizes out.
  double mean_loss = 0.0;   ///< Over the measured sizes by their weights, as a share.
  double worst_loss = 0.0;
  /// The same against the best of all, whatever its outputs are. Without a demand they are equal.
  double mean_loss_against_all = 0.0;
  double worst_loss_against_all = 0.0;
  std::size_t beyond_limit = 0;  ///< At how many measured sizes that loss is above the limit.

  /// The index into the table of the configuration that answers a size.
  std::size_t answer(const Size& size) const;
};

/// At how many sizes of the table the outputs of a configuration of the cover are known to be those demanded:
/// the minimum over its configurations.
std::size_t min_compared_sizes(const CoverTable& table, const SizeCover& cover);

/// The configurations that `choose_configurations` finds for the measured sizes, with a list that says which
/// one answers, or with costs. Sizes that are held back take no part, and neither do sizes at which no
/// configuration may answer. Empty if the table has no other sizes. The losses are those against the best
/// that may answer. Costs need a shape in the table, and are not used if errors of the outputs are limited.
std::optional<SizeCover> derive_cover(const std::vector<std::string>& names, const CoverTable& table,
                                      const CoverLimits& limits);

}  // namespace warptune::tuner::covers
