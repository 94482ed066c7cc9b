#include "profiling/detail/counter_session.h"

#include <fmt/format.h>

#include <cstdlib>

#include "profiling/detail/derived_metrics.h"

namespace warptune::profiling::detail {

CounterSession::CounterSession(CUcontext context, const std::string& chip, std::vector<std::string> metrics,
                               std::size_t batch)
    : host_(chip), metrics_(std::move(metrics)), config_(host_.configure(metrics_)) {
  one_pass_ = count_passes(chip, metrics_) == 1;
  batch_ = one_pass_ ? batch : 1;
  initialise_profiler();
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = context;
  WARPTUNE_CUPTI(cuptiRangeProfilerEnable, &enable);
  profiler_ = enable.pRangeProfilerObject;
}

CounterSession::~CounterSession() {
  if (abandoned_) return;
  if (open_) {
    WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = profiler_;
    cupti().cuptiRangeProfilerStop(&stop);
  }
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params, disable);
  disable.pRangeProfilerObject = profiler_;
  cupti().cuptiRangeProfilerDisable(&disable);
}

void CounterSession::make_image() {
  std::vector<const char*> names = as_pointers(metrics_);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = batch_;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(batch_);
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
  set.maxRangesPerPass = batch_;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  WARPTUNE_CUPTI(cuptiRangeProfilerSetConfig, &set);
}

void CounterSession::start() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerStart, &parameters);
  open_ = true;
}

bool CounterSession::stop() {
  open_ = false;
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerStop, &parameters);
  return parameters.isAllPassSubmitted != 0;
}

void CounterSession::push(std::size_t index) {
  const std::string name = fmt::format("{}", index);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PushRange_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  parameters.pRangeName = name.c_str();
  WARPTUNE_CUPTI(cuptiRangeProfilerPushRange, &parameters);
}

void CounterSession::pop() {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange_Params, parameters);
  parameters.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerPopRange, &parameters);
}

void CounterSession::open() {
  if (open_ || !one_pass_) return;
  make_image();
  start();
}

void CounterSession::count(std::uint64_t id, const std::function<void()>& prepare,
                           const std::function<void()>& launch) {
  const std::size_t index = pending_.size();
  const auto counted_launch = [&] {
    prepare();
    push(index);
    launch();
    pop();
  };
  if (one_pass_) {
    open();
    counted_launch();
    pending_.push_back(id);
    if (pending_.size() == batch_) close();
    return;
  }
  make_image();
  do {
    start();
    counted_launch();
  } while (!stop());
  pending_.push_back(id);
  decode();
}

void CounterSession::close() {
  if (!open_ || abandoned_) return;
  stop();
  decode();
}

void CounterSession::decode() {
  std::vector<std::uint64_t> ids;
  ids.swap(pending_);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = profiler_;
  WARPTUNE_CUPTI(cuptiRangeProfilerDecodeData, &decode);
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  WARPTUNE_CUPTI(cuptiRangeProfilerGetCounterDataInfo, &info);
  for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
    const std::size_t index = range_number(range);
    if (index < ids.size()) readings_.push_back({ids[index], evaluate(range)});
  }
}

std::size_t CounterSession::range_number(std::size_t range) {
  WARPTUNE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, parameters);
  parameters.pCounterDataImage = image_.data();
  parameters.counterDataImageSize = image_.size();
  parameters.rangeIndex = range;
  parameters.rangeDelimiter = "/";
  WARPTUNE_CUPTI(cuptiRangeProfilerCounterDataGetRangeInfo, &parameters);
  return std::strtoull(parameters.rangeName, nullptr, 10);
}

search::Counters CounterSession::evaluate(std::size_t range) {
  std::vector<const char*> names = as_pointers(metrics_);
  std::vector<double> values(names.size());
  WARPTUNE_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, parameters);
  parameters.pHostObject = host_.get();
  parameters.pCounterDataImage = image_.data();
  parameters.counterDataImageSize = image_.size();
  parameters.rangeIndex = range;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = values.data();
  WARPTUNE_CUPTI(cuptiProfilerHostEvaluateToGpuValues, &parameters);
  search::Counters counters;
  for (std::size_t i = 0; i < values.size(); ++i) counters[metrics_[i]] = values[i];
  add_derived_metrics(counters);
  return counters;
}

std::vector<CounterReading> CounterSession::take() {
  std::vector<CounterReading> taken;
  taken.swap(readings_);
  return taken;
}

}  // namespace warptune::profiling::detail
