// The kernels whose hardware counters a survey has, with what the rules of `profile` say about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/measurement.h"
#include "profiling/diagnosis/diagnosis.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {

/// Where a kernel is in a roofline plot. The roofs are those of theory. A rate is absent if its counters are.
struct RooflinePoint {
  std::optional<double> bytes_per_s;  ///< The rate of device memory.
  std::optional<double> flops_per_s;  ///< The rate of FP32, FP64 and FP16 operations, without tensor cores.
  std::optional<double> flops_per_byte;    ///< The quotient of the two.
  std::optional<double> roof_bytes_per_s;  ///< The GPU's bandwidth, if it is known.
  std::optional<double> roof_flops_per_s;  ///< The GPU's FP32 peak, if it is known.
  /// The largest share that the kernel reaches of a roof, 0 to 1: of memory, of FP32, or of the cycles of the
  /// tensor cores if those were counted. Absent if none is known.
  std::optional<double> share;
};

/// Where work is that takes `time_ns` nanoseconds and has these counters. `share` counts tensor cores, too.
RooflinePoint roofline_point(const model::Counters& counters, double time_ns,
                             const model::GpuDescription& gpu);

/// The median of each metric over those launches that have it.
model::Counters medians(const std::vector<model::Counters>& launches);

/// The counters of the usual shape of one kernel on one GPU.
struct CountedKernel {
  records::Index shape = 0;
  records::Index device = 0;
  std::int64_t launches = 0;  ///< That were counted: of the kernel, or of the graph whose nodes they are.
  /// Not 0 if whole launches of a CUDA graph were counted, which has so many nodes and no other ones.
  /// Counters are means over its nodes, without those of the GPU's smallest and largest unit. `counted_ns` is
  /// absent.
  std::int64_t graph_nodes = 0;
  double time_ns = 0.0;  ///< The median of the launches of this shape in the survey. They were not counted.
  std::optional<double> counted_ns;  ///< The median of the counted launches.
  double share = 0.0;                ///< The part of all kernels' duration that this kernel has, 0 to 1.
  /// The median of each metric. Shares of elapsed time refer to `time_ns`.
  model::Counters counters;
  profiling::diagnosis::Diagnosis diagnosis;
  RooflinePoint roofline;
  /// By how much the run would be faster at most if all launches of the kernel reached the roof of the
  /// counted shape (`RooflinePoint::share`). As for `KernelTime::bound`, which is what it would be without
  /// the kernel, only the time counts during which nothing else ran on the GPU. Absent if no roof is known.
  std::optional<double> bound_at_roof;
};

/// Whether all nodes of a graph are launches of one shape. Then the mean over its nodes says how that one
/// runs.
bool has_one_shape(const records::CountedGraph& graph);

/// The counted kernels in the order of `Survey::counted`, then those of graphs whose nodes all have one
/// shape. `kernels` are those of the survey.
std::vector<CountedKernel> counted_kernels(const records::Survey& survey,
                                           const std::vector<KernelTime>& kernels);

/// Kernels that are worth counting: the usual shapes of at most `most` kernels, those with most time first.
/// Each has at least 1 % of the kernels' time. Collectives of NCCL and NVSHMEM are left out, because they
/// wait for other GPUs, and would wait for ever if each of them ran alone.
struct HotShapes {
  std::vector<records::Index> shapes;
  std::size_t collectives = 0;  ///< The number of kernels that were left out for that.
};
HotShapes hot_shapes(const records::Survey& survey, const std::vector<KernelTime>& kernels, std::size_t most);

}  // namespace warptune::survey::analysis
