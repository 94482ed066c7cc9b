#include "profiling/counters/counter_image.h"

#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "profiling/counters/cupti.h"

namespace warptune::profiling::counters {

namespace {

std::size_t range_at(const std::vector<std::uint8_t>& image, std::size_t position) {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, parameters);
  parameters.pCounterDataImage = image.data();
  parameters.counterDataImageSize = image.size();
  parameters.rangeIndex = position;
  parameters.rangeDelimiter = "/";
  WARPTUNE_CUPTI(cuptiRangeProfilerCounterDataGetRangeInfo, &parameters);
  return std::strtoull(parameters.rangeName, nullptr, 10);
}

RangeCounts evaluate(const ProfilerHost& host, const std::vector<std::string>& metrics,
                     const std::vector<std::uint8_t>& image, std::size_t position) {
  std::vector<const char*> names = as_pointers(metrics);
  std::vector<double> values(names.size());
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, parameters);
  parameters.pHostObject = host.get();
  parameters.pCounterDataImage = image.data();
  parameters.counterDataImageSize = image.size();
  parameters.rangeIndex = position;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = values.data();
  WARPTUNE_CUPTI(cuptiProfilerHostEvaluateToGpuValues, &parameters);
  RangeCounts counts;
  counts.range = range_at(image, position);
  for (std::size_t i = 0; i < values.size(); ++i) counts.counters[metrics[i]] = values[i];
  if (const auto duration = counts.counters.find(kDurationMetric); duration != counts.counters.end())
    counts.duration_ns = duration->second;
  return counts;
}

}  // namespace

std::vector<std::string> with_free_duration(const std::string& chip, std::vector<std::string> metrics) {
  if (base::contains(metrics, std::string(kDurationMetric)) || !has_metric(chip, kDurationMetric))
    return metrics;
  const std::size_t passes = count_passes(chip, metrics);
  metrics.emplace_back(kDurationMetric);
  if (count_passes(chip, metrics) > passes) metrics.pop_back();
  return metrics;
}

std::vector<RangeCounts> evaluate_image(const ProfilerHost& host, const std::vector<std::string>& metrics,
                                        const std::vector<std::uint8_t>& image) {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image.data();
  info.counterDataImageSize = image.size();
  WARPTUNE_CUPTI(cuptiRangeProfilerGetCounterDataInfo, &info);
  std::vector<RangeCounts> counts;
  counts.reserve(info.numTotalRanges);
  for (std::size_t position = 0; position < info.numTotalRanges; ++position)
    counts.push_back(evaluate(host, metrics, image, position));
  return counts;
}

void scale_to_launch_time(model::Counters& counters, double range_ns, std::optional<double> launch_ns) {
  if (!launch_ns || range_ns <= *launch_ns) return;
  for (auto& [name, value] : counters) {
    if (model::is_per_elapsed_time(name)) value *= range_ns / *launch_ns;
  }
}

}  // namespace warptune::profiling::counters
