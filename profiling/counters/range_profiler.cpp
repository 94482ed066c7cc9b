#include "profiling/counters/range_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace warptune::profiling::counters {

namespace {

constexpr const char* kDuration = "gpu__time_duration.sum";

/// Returns whether the duration can be counted together with the metrics without a further pass.
bool duration_is_free(const std::string& chip, const std::vector<std::string>& metrics) {
  if (!has_metric(chip, kDuration)) return false;
  std::vector<std::string> with_duration = metrics;
  with_duration.emplace_back(kDuration);
  return count_passes(chip, with_duration) <= count_passes(chip, metrics);
}

}  // namespace

void plan_range_profiler(const std::string& chip, const std::vector<std::string>& metrics) {
  if (!base::contains(metrics, kDuration)) duration_is_free(chip, metrics);
}

CuptiRangeProfiler::CuptiRangeProfiler(CUcontext context, const std::string& chip,
                                       std::vector<std::string> metrics, std::size_t max_ranges)
    : host_(chip), metrics_(std::move(metrics)), max_ranges_(max_ranges) {
  if (!base::contains(metrics_, kDuration) && duration_is_free(chip, metrics_)) {
    metrics_.emplace_back(kDuration);
    hides_duration_ = true;
  }
  config_ = host_.configure(metrics_);
  passes_ = passes_of(config_);
  initialise_profiler();
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = context;
  WARPTUNE_CUPTI(cuptiRangeProfilerEnable, &enable);
  profiler_ = enable.pRangeProfilerObject;
}

CuptiRangeProfiler::~CuptiRangeProfiler() {
  if (abandoned_) return;
  if (started_) {
    WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = profiler_;
    cupti().cuptiRangeProfilerStop(&stop);
  }
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params, disable);
  disable.pRangeProfilerObject = profiler_;
  cupti().cuptiRangeProfilerDisable(&disable);
}

void CuptiRangeProfiler::begin() {
  std::vector<const char*> names = as_pointers(metrics_);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = max_ranges_;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(max_ranges_);
  WARPTUNE_CUPTI(cuptiRangeProfilerGetCounterDataSize, &size);
  image_.assign(size.counterDataSize, 0);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialise);
  initialise.pRangeProfilerObject = profiler_;
  initialise.counterDataSize = image_.size();
  initialise.pCounterData = image_.data();
  WARPTUNE_CUPTI(cuptiRangeProfilerCounterDataImageInitialize, &initialise);

  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
  set.pRangeProfilerObject = profiler_;
  set.configSize = config_.size();
  set.pConfig = config_.data();
  set.counterDataImageSize = image_.size();
  set.pCounterDataImage = image_.data();
  set.range = CUPTI_UserRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = max_ranges_;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  WARPTUNE_CUPTI(cuptiRangeProfilerSetConfig, &set);
}

void CuptiRangeProfiler::start() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerStart, &parameters);
  started_ = true;
}

bool CuptiRangeProfiler::stop() {
  started_ = false;
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerStop, &parameters);
  return parameters.isAllPassSubmitted != 0;
}

bool CuptiRangeProfiler::patches_code() const {
  return std::any_of(metrics_.begin(), metrics_.end(),
                     [](const std::string& metric) { return metric.starts_with("smsp__sass_"); });
}

void CuptiRangeProfiler::push(std::size_t range) {
  const std::string name = fmt::format("{}", range);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PushRange_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  parameters.pRangeName = name.c_str();
  WARPTUNE_CUPTI(cuptiRangeProfilerPushRange, &parameters);
}

void CuptiRangeProfiler::pop() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerPopRange, &parameters);
}

std::vector<RangeCounts> CuptiRangeProfiler::decode() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerDecodeData, &decode);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  WARPTUNE_CUPTI(cuptiRangeProfilerGetCounterDataInfo, &info);
  std::vector<RangeCounts> counts;
  counts.reserve(info.numTotalRanges);
  for (std::size_t position = 0; position < info.numTotalRanges; ++position)
    counts.push_back(evaluate(position));
  return counts;
}

std::size_t CuptiRangeProfiler::range_at(std::size_t position) {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, parameters);
  parameters.pCounterDataImage = image_.data();
  parameters.counterDataImageSize = image_.size();
  parameters.rangeIndex = position;
  parameters.rangeDelimiter = "/";
  WARPTUNE_CUPTI(cuptiRangeProfilerCounterDataGetRangeInfo, &parameters);
  return std::strtoull(parameters.rangeName, nullptr, 10);
}

RangeCounts CuptiRangeProfiler::evaluate(std::size_t position) {
  std::vector<const char*> names = as_pointers(metrics_);
  std::vector<double> values(names.size());
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, parameters);
  parameters.pHostObject = host_.get();
  parameters.pCounterDataImage = image_.data();
  parameters.counterDataImageSize = image_.size();
  parameters.rangeIndex = position;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = values.data();
  WARPTUNE_CUPTI(cuptiProfilerHostEvaluateToGpuValues, &parameters);
  RangeCounts counts;
  counts.range = range_at(position);
  for (std::size_t i = 0; i < values.size(); ++i) counts.counters[metrics_[i]] = values[i];
  if (const auto duration = counts.counters.find(kDuration); duration != counts.counters.end()) {
    counts.duration_ns = duration->second;
    if (hides_duration_) counts.counters.erase(duration);
  }
  return counts;
}

}  // namespace warptune::profiling::counters
