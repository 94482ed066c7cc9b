// Which missing times and outputs a cover needs.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "tuner/covers/size_cover.h"

namespace warptune::tuner::covering {

/// What is known of the losses at measured sizes, and predictions where nothing is.
struct HopedLosses {
  std::vector<std::size_t> sizes;           ///< Indices into the table.
  covers::LossMatrix losses;                ///< By configuration and place in `sizes`.
  std::vector<std::vector<bool>> is_known;  ///< In the same form.
};

/// Names configurations that were not measured at a size, or not compared there. Each is named at most once
/// for a size: a configuration that cannot run there has no row. The table must outlive this object.
class CoverGaps {
 public:
  explicit CoverGaps(const covers::CoverTable& table) : table_(table) {}

  /// The losses at all sizes that are not held back.
  HopedLosses hoped_losses() const;
  /// The configurations of a cover that is optimistic: predicted losses count where none is known.
  std::vector<std::size_t> hoped_cover(const HopedLosses& hoped, const covers::CoverLimits& limits) const;
  /// The configurations of a hoped cover to measure at a place of `hoped.sizes`: those that are predicted to
  /// lose least. Empty if one of the cover is known to be within the limit there. If the number of
  /// configurations is not limited, each of them is predicted to be within the limit.
  std::vector<model::NamedValues> times_at(const HopedLosses& hoped, std::size_t place,
                                           const std::vector<std::size_t>& cover,
                                           const covers::CoverLimits& limits);
  /// The configuration that answers size `s`, if it has no time there.
  std::vector<model::NamedValues> answer_at(std::size_t s, const covers::SizeCover& cover);
  /// The configurations of a cover whose outputs at size `s` are not known. Empty without a demand.
  std::vector<model::NamedValues> outputs_at(std::size_t s, const std::vector<std::size_t>& cover);

 private:
  /// The first of these configurations that were not named before for size `s`.
  std::vector<model::NamedValues> name(std::size_t s, const std::vector<std::size_t>& missing);

  const covers::CoverTable& table_;
  std::set<std::pair<std::size_t, std::size_t>> tried_;  // Sizes and configurations.
};

}  // namespace warptune::tuner::covering
