// Few configurations for a range of sizes, derived from measured times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/value.h"
#include "tuner/covers/decision_list.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// A size with the times of configurations.
struct CoverSize {
  Size size;
  double weight = 1.0;
  bool held_back = false;  ///< It only checks a cover that is derived from the others.
  double best_ns = 0.0;    ///< The shortest of `times_ns`.
  /// By configuration. No value: not measured. Infinite: it fails or is slow enough to be dropped from a
  /// race.
  std::vector<std::optional<double>> times_ns;
};

/// The times of configurations at sizes.
struct CoverTable {
  std::vector<model::NamedValues> configurations;
  std::vector<CoverSize> sizes;

  /// The index of a configuration, which is added if it is new.
  std::size_t add_configuration(const model::NamedValues& configuration);
  /// The index of a size, or std::nullopt.
  std::optional<std::size_t> find(const Size& size) const;
  /// Adds the rows of a size, or replaces earlier times of it. A size at which nothing has a time is not
  /// added. A size that was held back stays so only if `held_back` is set.
  void add(const Size& size, double weight, bool held_back, const std::vector<model::Measurement>& rows);
  /// How much slower a configuration is than the best one known, as a share, if that is known.
  std::optional<double> loss(std::size_t configuration, std::size_t size) const;

 private:
  std::map<std::string, std::size_t> places_;  // The places of configurations, by their keys.
};

/// The configurations of a cover, and which of them answers which size.
struct SizeCover {
  std::vector<std::size_t> configurations;  ///< Indices into the table.
  DecisionList list;                        ///< Its configurations are indices into `configurations`.
  double mean_loss = 0.0;                   ///< Over the measured sizes by their weights, as a share.
  double worst_loss = 0.0;

  /// The index into the table of the configuration that answers a size.
  std::size_t answer(const Size& size) const { return configurations[list.configuration_for(size)]; }
};

/// The fewest configurations such that no measured size loses more than `limit_share`, with a list that says
/// which one answers. Sizes that are held back take no part. Empty if the table has no other sizes.
/// `max_steps` is that of `minimum_cover`.
std::optional<SizeCover> derive_cover(const std::vector<std::string>& names, const CoverTable& table,
                                      double limit_share, std::size_t max_steps = 10000);

}  // namespace warptune::tuner::covers
