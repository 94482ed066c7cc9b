#include "survey/analysis/counted_kernels.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "profiling/counters/planned_counting.h"
#include "profiling/diagnosis/metric_names.h"
#include "survey/analysis/kernel_times.h"

namespace warptune::survey::analysis {

namespace {

using records::CountedShape;
using records::Index;
using records::Survey;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The median of the listed launches of a shape, or the mean of those that are only counted. 0 if there are
// none.
double usual_time(const Survey& survey, Index shape) {
  std::vector<double> times;
  for (const records::Launch& launch : survey.launches) {
    if (launch.shape == shape) times.push_back(static_cast<double>(launch.time.duration()));
  }
  if (!times.empty()) return median(std::move(times));
  for (const records::UnlistedLaunches& more : survey.unlisted) {
    if (more.shape == shape && more.count > 0)
      return static_cast<double>(more.duration) / static_cast<double>(more.count);
  }
  return 0.0;
}

std::optional<double> find(const model::Counters& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? std::nullopt : std::optional<double>(found->second);
}

std::optional<double> largest_share(const RooflinePoint& point, const model::Counters& counters) {
  std::optional<double> largest;
  const auto add = [&](double share) { largest = std::clamp(share, largest.value_or(0.0), 1.0); };
  if (point.bytes_per_s && point.roof_bytes_per_s) add(*point.bytes_per_s / *point.roof_bytes_per_s);
  if (point.flops_per_s && point.roof_flops_per_s) add(*point.flops_per_s / *point.roof_flops_per_s);
  if (const std::optional<double> percent = find(counters, profiling::diagnosis::metric::kTensorPipe))
    add(*percent / 100.0);
  return largest;
}

// `bound` is that of the kernel if it took no time.
double bound_at_roof(double bound, double share_of_roof) {
  const double kernel = 1.0 - 1.0 / bound;  // Its part of the run.
  return 1.0 / (1.0 - kernel * (1.0 - share_of_roof));
}

// A survey does not know what a kernel has to compute, nor what is in the caches before a launch.
profiling::diagnosis::DiagnosisInput input_of(const Survey& survey, const CountedKernel& kernel) {
  profiling::diagnosis::DiagnosisInput input;
  input.gpu = survey.devices[kernel.device].gpu;
  input.cache = model::CacheState::kWarm;
  input.roofs.fp32_theory_flops_per_s = kernel.roofline.roof_flops_per_s;
  input.measurement.status = model::Status::kMeasured;
  input.measurement.time = {kernel.time_ns, kernel.time_ns, kernel.time_ns};
  input.measurement.resources = resource_use(survey.shapes[kernel.shape]);
  input.measurement.counters = kernel.counters;
  return input;
}

CountedKernel counted_kernel(const Survey& survey, const CountedShape& counted,
                             const std::vector<KernelTime>& kernels) {
  CountedKernel kernel;
  kernel.shape = counted.shape;
  kernel.device = counted.device;
  kernel.launches = std::ssize(counted.launches);
  kernel.counted_ns = find(medians(counted.launches), profiling::counters::kDurationMetric);
  kernel.time_ns = usual_time(survey, counted.shape);
  const Index name = survey.shapes[counted.shape].name;
  const auto known =
      std::find_if(kernels.begin(), kernels.end(), [&](const KernelTime& time) { return time.name == name; });
  if (known != kernels.end()) kernel.share = known->share;
  std::vector<model::Counters> launches = counted.launches;
  const std::optional<double> time = kernel.time_ns > 0.0 ? std::optional(kernel.time_ns) : std::nullopt;
  for (model::Counters& launch : launches) profiling::counters::complete_counters(launch, time);
  kernel.counters = medians(launches);
  kernel.roofline = roofline_point(kernel.counters, kernel.time_ns, survey.devices[counted.device].gpu);
  if (known != kernels.end() && kernel.roofline.share)
    kernel.bound_at_roof = bound_at_roof(known->bound, *kernel.roofline.share);
  kernel.diagnosis = profiling::diagnosis::diagnose(input_of(survey, kernel));
  return kernel;
}

bool is_collective(const std::string& name) {
  return name.find("nccl") != std::string::npos || name.find("nvshmem") != std::string::npos;
}

// Metrics that add up over launches have no further word after what is done over a GPU's units. The smallest
// and the largest unit of several launches together are not those of one.
bool adds_up(const std::string& metric) { return metric.ends_with(".sum") || metric.ends_with(".avg"); }
bool is_of_one_unit(const std::string& metric) {
  return metric.ends_with(".min") || metric.ends_with(".max");
}

CountedShape means_over_nodes(const records::CountedGraph& graph) {
  CountedShape counted{graph.parts.front().shape, graph.device, graph.launches};
  for (model::Counters& launch : counted.launches) {
    if (graph.kernel_nodes > 1)
      std::erase_if(launch, [](const auto& one) { return is_of_one_unit(one.first); });
    for (auto& [name, value] : launch) {
      if (adds_up(name)) value /= static_cast<double>(graph.kernel_nodes);
    }
  }
  return counted;
}

}  // namespace

model::Counters medians(const std::vector<model::Counters>& launches) {
  std::map<std::string, std::vector<double>> values;
  for (const model::Counters& launch : launches) {
    for (const auto& [name, value] : launch) values[name].push_back(value);
  }
  model::Counters result;
  for (auto& [name, list] : values) result[name] = median(std::move(list));
  return result;
}

bool has_one_shape(const records::CountedGraph& graph) {
  return graph.other_nodes == 0 && graph.parts.size() == 1 && graph.parts.front().nodes == graph.kernel_nodes;
}

RooflinePoint roofline_point(const model::Counters& counters, double time_ns,
                             const model::GpuDescription& gpu) {
  RooflinePoint point;
  if (gpu.memory_bandwidth_bytes_per_s > 0)
    point.roof_bytes_per_s = static_cast<double>(gpu.memory_bandwidth_bytes_per_s);
  if (const double peak = gpu.peak_fp32_flops(); peak > 0.0) point.roof_flops_per_s = peak;
  const std::optional<double> bytes = find(counters, profiling::diagnosis::metric::kDramBytes);
  std::optional<double> flops;
  for (const char* name : model::kOperationMetrics) {
    if (const std::optional<double> some = find(counters, name)) flops = flops.value_or(0.0) + *some;
  }
  if (time_ns > 0.0) {
    if (bytes) point.bytes_per_s = *bytes / (1e-9 * time_ns);
    if (flops) point.flops_per_s = *flops / (1e-9 * time_ns);
    if (flops && bytes && *bytes > 0.0) point.flops_per_byte = *flops / *bytes;
  }
  point.share = largest_share(point, counters);
  return point;
}

std::vector<CountedKernel> counted_kernels(const Survey& survey, const std::vector<KernelTime>& kernels) {
  std::vector<CountedKernel> result;
  result.reserve(survey.counted.size() + survey.counted_graphs.size());
  for (const CountedShape& counted : survey.counted) {
    if (!counted.launches.empty()) result.push_back(counted_kernel(survey, counted, kernels));
  }
  for (const records::CountedGraph& graph : survey.counted_graphs) {
    if (graph.launches.empty() || !has_one_shape(graph)) continue;
    result.push_back(counted_kernel(survey, means_over_nodes(graph), kernels));
    result.back().graph_nodes = graph.kernel_nodes;
    result.back().counted_ns.reset();  // It is longer than the graph by 60 to 90 us.
  }
  return result;
}

HotShapes hot_shapes(const Survey& survey, const std::vector<KernelTime>& kernels, std::size_t most) {
  constexpr double kSmallestShare = 0.01;
  HotShapes hot;
  for (const KernelTime& kernel : kernels) {
    if (kernel.share < kSmallestShare || hot.shapes.size() == most) break;
    if (is_collective(survey.names[kernel.name]))
      ++hot.collectives;
    else
      hot.shapes.push_back(kernel.usual_shape);
  }
  return hot;
}

}  // namespace warptune::survey::analysis
