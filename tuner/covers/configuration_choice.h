// Which configurations a cover has.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace warptune::tuner::covers {

/// What is accepted of a cover.
struct CoverLimits {
  double loss_share = 0.05;            ///< No measured size may lose more than this.
  std::size_t max_configurations = 0;  ///< If the cover needs more, sizes may lose more. 0: any number.
  std::size_t max_steps = 10000;       ///< The search for the fewest configurations ends after so many.
};

/// By configuration and size: how much slower it is than the best there, as a share. No value: not known.
using LossMatrix = std::vector<std::vector<std::optional<double>>>;

/// The fewest configurations of which one is within the limit at each size where one of all is. Among equally
/// many, small losses are preferred: configurations are exchanged, one at a time, as long as that lowers the
/// sum of the losses. If the fewest are more than `max_configurations`, as many as that are chosen: each
/// lowers the sum of the losses most, and then they are exchanged, too. `weights` has one for each size. The
/// indices are in ascending order.
std::vector<std::size_t> choose_configurations(const LossMatrix& losses, const std::vector<double>& weights,
                                               const CoverLimits& limits);

}  // namespace warptune::tuner::covers
