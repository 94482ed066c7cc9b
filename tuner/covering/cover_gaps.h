// Which missing times and outputs a cover needs.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "tuner/covers/size_cover.h"

namespace warptune::tuner::covering {

/// Names configurations that were not measured at a size, or not compared there. Each is named at most once
/// for a size: a configuration that cannot run there has no row. The table must outlive this object.
class CoverGaps {
 public:
  CoverGaps(const covers::CoverTable& table, double limit_share) : table_(table), limit_share_(limit_share) {}

  /// A cover of these sizes that is optimistic about what was not measured: predicted losses count there.
  std::vector<std::size_t> hoped_cover(const std::vector<std::size_t>& sizes, std::size_t max_steps) const;
  /// The configurations of a hoped cover to measure at size `s`. Empty if one of them is known to be within
  /// the limit there.
  std::vector<model::NamedValues> times_at(std::size_t s, const std::vector<std::size_t>& hoped);
  /// The configurations of a cover whose outputs at size `s` are not known. Empty without a demand.
  std::vector<model::NamedValues> outputs_at(std::size_t s, const std::vector<std::size_t>& cover);

 private:
  bool hopes(std::size_t configuration, std::size_t s) const;
  /// The first of these configurations that were not named before for size `s`.
  std::vector<model::NamedValues> name(std::size_t s, const std::vector<std::size_t>& missing);

  const covers::CoverTable& table_;
  double limit_share_;
  std::set<std::pair<std::size_t, std::size_t>> tried_;  // Sizes and configurations.
};

}  // namespace warptune::tuner::covering
