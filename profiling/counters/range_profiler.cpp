#include "profiling/counters/range_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/measurement.h"

namespace warptune::profiling::counters {

void plan_range_profiler(const std::string& chip, const std::vector<std::string>& metrics) {
  with_free_duration(chip, metrics);
}

CuptiRangeProfiler::CuptiRangeProfiler(CUcontext context, const std::string& chip,
                                       std::vector<std::string> metrics, std::size_t max_ranges)
    : host_(chip), metrics_(std::move(metrics)), max_ranges_(max_ranges) {
  const std::size_t asked = metrics_.size();
  metrics_ = with_free_duration(chip, metrics_);
  hides_duration_ = metrics_.size() > asked;
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
  return std::any_of(metrics_.begin(), metrics_.end(), model::needs_patched_code);
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
  std::vector<RangeCounts> counts = evaluate_image(host_, metrics_, image_);
  if (hides_duration_) {
    for (RangeCounts& range : counts) range.counters.erase(kDurationMetric);
  }
  return counts;
}

}  // namespace warptune::profiling::counters
