// The kernels of a survey with their times.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/measurement.h"
#include "profiling/diagnosis/occupancy.h"
#include "survey/analysis/device_timeline.h"
#include "survey/analysis/survey_analysis.h"

namespace warptune::survey::analysis {

/// A launch of less than this is short, in nanoseconds. The host needs some microseconds for a launch, so a
/// queue of shorter kernels may run empty.
constexpr std::int64_t kShortLaunch = 10'000;

/// How a grid fits into a GPU.
struct GridFit {
  std::int64_t blocks = 0;
  std::int64_t sm_count = 0;
  double occupancy = 0.0;                                        ///< By theory, 0 to 1.
  std::vector<profiling::diagnosis::OccupancyLimiter> limiters;  ///< What limits the occupancy.
  double gpu_share = 1.0;  ///< The blocks over those that the GPU holds at once, at most 1.
};

/// What a shape says about a launch: threads, blocks, registers and memory. Numbers of a file that are too
/// large are limited, so that their products do not overflow.
model::ResourceUse resource_use(const records::KernelShape& shape);

/// How the grid of a shape fits, or std::nullopt if the GPU's limits are unknown.
std::optional<GridFit> grid_fit(const records::Survey& survey, const records::KernelShape& shape,
                                records::Index device);

/// `grid_fit` of every shape on the GPU of its first launch, in the order of `Survey::shapes`.
std::vector<std::optional<GridFit>> grid_fits(const records::Survey& survey);

/// The bound of Amdahl's law: by how much a run of `run` nanoseconds would be faster if `saved` of them were
/// not needed. At most 1000, also where nothing would be left.
double amdahl_bound(std::int64_t run, std::int64_t saved);

/// All kernels, the longest first, with their launches that are not listed. `run` is the observed time in
/// nanoseconds, to which the bounds refer. Launches that are not listed are outside of it, so they do not
/// count in a bound. With a range, only launches that were given within it count (`WorkOfRun`). If several
/// GPUs ran a kernel, the GPU on which it ran alone for longest counts.
std::vector<KernelTime> kernel_times(const records::Survey& survey,
                                     const std::vector<DeviceTimeline>& timelines,
                                     const std::vector<std::optional<GridFit>>& fits, std::int64_t run);

}  // namespace warptune::survey::analysis
