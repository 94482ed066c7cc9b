#include "survey/analysis/kernel_times.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "profiling/diagnosis/occupancy.h"

namespace warptune::survey::analysis {

using records::Index;
using records::KernelShape;
using records::Launch;
using records::Survey;

namespace {

// What is summed up of one kernel.
struct Sums {
  KernelTime time;
  std::vector<std::int64_t> durations;  // Those of the listed launches.
  std::map<Index, std::int64_t> by_shape;
  std::int64_t listed = 0;
  std::vector<std::int64_t> alone;  // By GPU.
};

std::map<Index, Sums> sums_of(const Survey& survey, const std::vector<DeviceTimeline>& timelines) {
  std::map<Index, Sums> all;
  std::vector<Sums*> of_shape(survey.shapes.size(), nullptr);
  const auto sums = [&](Index shape) -> Sums& {
    if (of_shape[shape] == nullptr) {
      of_shape[shape] = &all[survey.shapes[shape].name];
      of_shape[shape]->alone.resize(timelines.size());
    }
    return *of_shape[shape];
  };
  const WorkOfRun of_run(survey);
  for (const Launch& launch : survey.launches) {
    if (!of_run.has(launch)) continue;
    Sums& kernel = sums(launch.shape);
    kernel.durations.push_back(launch.time.duration());
    kernel.by_shape[launch.shape] += launch.time.duration();
    kernel.listed += launch.time.duration();
    if (launch.time.duration() < kShortLaunch) ++kernel.time.short_launches;
  }
  for (const records::UnlistedLaunches& more : survey.unlisted) {
    Sums& kernel = sums(more.shape);
    kernel.time.launches += more.count;
    kernel.time.duration += more.duration;
    kernel.by_shape[more.shape] += more.duration;
    if (more.duration < more.count * kShortLaunch) kernel.time.short_launches += more.count;
  }
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    for (const Work& work : timelines[i].work) {
      if (work.kind != WorkKind::kKernel) continue;
      const Launch& launch = survey.launches[work.record];
      if (of_run.has(launch)) sums(launch.shape).alone[i] += work.alone;
    }
  }
  return all;
}

// Fills in the shortest, the median and the longest launch.
void summarise_durations(Sums& kernel) {
  std::vector<std::int64_t>& durations = kernel.durations;
  KernelTime& time = kernel.time;
  if (durations.empty()) {
    time.minimum = time.median = time.maximum = time.launches > 0 ? time.duration / time.launches : 0;
    return;
  }
  const auto [shortest, longest] = std::minmax_element(durations.begin(), durations.end());
  time.minimum = *shortest;
  time.maximum = *longest;
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  time.median = *middle;
}

}  // namespace

model::ResourceUse resource_use(const KernelShape& shape) {
  // A survey's file may hold any numbers: the product must not overflow.
  const auto product = [](const std::array<std::uint32_t, 3>& sizes) {
    constexpr double kMax = 1e15;
    return static_cast<std::int64_t>(std::min(kMax, 1.0 * sizes[0] * sizes[1] * sizes[2]));
  };
  model::ResourceUse use;
  use.registers_per_thread = shape.registers;
  use.static_shared_bytes = shape.static_shared;
  use.dynamic_shared_bytes = shape.dynamic_shared;
  use.threads_per_block = product(shape.block);
  use.blocks = product(shape.grid);
  use.local_bytes = shape.local_bytes;
  return use;
}

std::optional<GridFit> grid_fit(const Survey& survey, const KernelShape& shape, Index device) {
  const model::GpuDescription& gpu = survey.devices[device].gpu;
  const bool known = gpu.sm_count > 0 && gpu.compute_major > 0 && gpu.warp_size > 0 &&
                     gpu.max_threads_per_sm >= gpu.warp_size && gpu.registers_per_sm > 0 &&
                     gpu.max_blocks_per_sm > 0;
  if (!known) return std::nullopt;
  const model::ResourceUse use = resource_use(shape);
  const profiling::diagnosis::OccupancyLimits limits = profiling::diagnosis::occupancy_limits(gpu, use);
  const std::optional<double> waves = profiling::diagnosis::waves(gpu, use, limits);
  return GridFit{use.blocks, gpu.sm_count, limits.occupancy, limits.limiters,
                 std::min(1.0, waves.value_or(1.0))};
}

std::vector<std::optional<GridFit>> grid_fits(const Survey& survey) {
  std::vector<Index> device(survey.shapes.size(), records::kNone);
  for (const Launch& launch : survey.launches) {
    if (device[launch.shape] == records::kNone) device[launch.shape] = survey.streams[launch.stream].device;
  }
  for (const records::UnlistedLaunches& more : survey.unlisted) {
    for (const records::Stream& stream : survey.streams) {
      if (stream.process == more.process && device[more.shape] == records::kNone)
        device[more.shape] = stream.device;
    }
  }
  std::vector<std::optional<GridFit>> fits;
  fits.reserve(survey.shapes.size());
  for (std::size_t i = 0; i < survey.shapes.size(); ++i)
    fits.push_back(device[i] == records::kNone ? std::nullopt
                                               : grid_fit(survey, survey.shapes[i], device[i]));
  return fits;
}

double amdahl_bound(std::int64_t run, std::int64_t saved) {
  constexpr double kMax = 1000.0;
  if (run <= 0 || saved <= 0) return 1.0;
  const auto left = static_cast<double>(run - std::min(run, saved));
  return left * kMax < static_cast<double>(run) ? kMax : static_cast<double>(run) / left;
}

std::vector<KernelTime> kernel_times(const Survey& survey, const std::vector<DeviceTimeline>& timelines,
                                     const std::vector<std::optional<GridFit>>& fits, std::int64_t run) {
  std::map<Index, Sums> all = sums_of(survey, timelines);
  std::int64_t together = 0;
  for (auto& [name, kernel] : all) {
    kernel.time.launches += static_cast<std::int64_t>(kernel.durations.size());
    kernel.time.duration += kernel.listed;
    together += kernel.time.duration;
  }
  std::vector<KernelTime> times;
  times.reserve(all.size());
  for (auto& [name, kernel] : all) {
    KernelTime& time = kernel.time;
    time.name = name;
    summarise_durations(kernel);
    time.usual_shape =
        std::max_element(kernel.by_shape.begin(), kernel.by_shape.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
    if (const std::optional<GridFit>& fit = fits[time.usual_shape]) {
      time.occupancy = fit->occupancy;
      if (fit->occupancy < 1.0) time.occupancy_limiters = fit->limiters;
    }
    if (together > 0) time.share = static_cast<double>(time.duration) / static_cast<double>(together);
    const std::int64_t alone =
        kernel.alone.empty() ? 0 : *std::max_element(kernel.alone.begin(), kernel.alone.end());
    time.bound = amdahl_bound(run, alone);
    times.push_back(time);
  }
  std::stable_sort(times.begin(), times.end(),
                   [](const KernelTime& a, const KernelTime& b) { return a.duration > b.duration; });
  return times;
}

}  // namespace warptune::survey::analysis
