#include "survey/injected/counting/counting_session.h"

#include <cstdlib>
#include <cstring>

namespace warptune::survey::injected::counting {

namespace {

// Two ranges, so that a launch of another thread between start and stop is seen.
constexpr std::size_t kRanges = 2;
constexpr std::size_t kMaxImageBytes = std::size_t{256} << 20U;

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared cannot be in parentheses.
#define WARPTUNE_PARAMETERS(type, variable) \
  type variable{};                          \
  variable.structSize = type##_STRUCT_SIZE
#define WARPTUNE_STEP(name, parameters)                                                              \
  if (const CUptiResult code = cupti_.name(parameters); code != CUPTI_SUCCESS) return CountingStep { \
      code, #name, nullptr                                                                           \
    }
// NOLINTEND(bugprone-macro-parentheses)

CountingStep CountingSession::find_config(CUcontext context) {
  std::uint32_t device = 0;
  if (const CUptiResult code = cupti_.cuptiGetDeviceId(context, &device); code != CUPTI_SUCCESS)
    return {code, "cuptiGetDeviceId", nullptr};
  WARPTUNE_PARAMETERS(CUpti_Device_GetChipName_Params, name);
  name.deviceIndex = device;
  WARPTUNE_STEP(cuptiDeviceGetChipName, &name);
  config_ = plan_.config_of(name.pChipName);
  if (config_ == kNotPlanned)
    return {CUPTI_SUCCESS, nullptr,
            "Nothing was counted on a GPU whose chip is not that of the GPUs of the first run."};
  CUuuid uuid{};
  if (cupti_.device_uuid != nullptr &&
      cupti_.device_uuid(&uuid, static_cast<CUdevice>(device)) == CUDA_SUCCESS)
    std::memcpy(record_->uuid.data(), uuid.bytes, record_->uuid.size());
  return {};
}

// The record has its place before the image, so that both are written at once.
CountingStep CountingSession::allocate() {
  const PlannedConfig& config = plan_.config(config_);
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = const_cast<const char**>(config.metrics.data());
  size.numMetrics = config.metric_count;
  size.maxNumOfRanges = kRanges;
  size.maxNumRangeTreeNodes = kRanges;
  WARPTUNE_STEP(cuptiRangeProfilerGetCounterDataSize, &size);
  const std::size_t bytes = sizeof(collecting::RawCounted) + collecting::raw_padded(size.counterDataSize);
  void* const memory = bytes <= kMaxImageBytes ? std::realloc(record_, bytes) : nullptr;
  if (memory == nullptr) return {CUPTI_ERROR_OUT_OF_MEMORY, "cuptiRangeProfilerGetCounterDataSize", nullptr};
  record_ = static_cast<collecting::RawCounted*>(memory);
  record_->config = config_;
  record_->image_bytes = size.counterDataSize;
  return {};
}

CountingStep CountingSession::open(CUcontext context) {
  record_ = static_cast<collecting::RawCounted*>(std::calloc(1, sizeof(collecting::RawCounted)));
  if (record_ == nullptr) return {CUPTI_ERROR_OUT_OF_MEMORY, "calloc", nullptr};
  WARPTUNE_PARAMETERS(CUpti_Profiler_Initialize_Params, initialise);
  WARPTUNE_STEP(cuptiProfilerInitialize, &initialise);
  if (const CountingStep found = find_config(context); found.failed()) return found;
  context_ = context;
  return enable();
}

CountingStep CountingSession::enable() {
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = context_;
  WARPTUNE_STEP(cuptiRangeProfilerEnable, &enable);
  profiler_ = enable.pRangeProfilerObject;
  // CUPTI needs to be asked for the size each time. Without that it crashes later.
  const CountingStep allocated = allocate();
  if (allocated.failed()) close();
  return allocated;
}

CountingStep CountingSession::configure(Mode mode) {
  if (mode_ != Mode::kNone && mode_ != mode) close();
  if (profiler_ == nullptr) {
    if (const CountingStep enabled = enable(); enabled.failed()) return enabled;
  }
  mode_ = mode;
  std::memset(image(), 0, record_->image_bytes);
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialise);
  initialise.pRangeProfilerObject = profiler_;
  initialise.counterDataSize = record_->image_bytes;
  initialise.pCounterData = image();
  WARPTUNE_STEP(cuptiRangeProfilerCounterDataImageInitialize, &initialise);
  const PlannedConfig& config = plan_.config(config_);
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
  set.pRangeProfilerObject = profiler_;
  set.configSize = config.image_bytes;
  set.pConfig = config.image;
  set.counterDataImageSize = record_->image_bytes;
  set.pCounterDataImage = image();
  set.range = mode == Mode::kKernels ? CUPTI_AutoRange : CUPTI_UserRange;
  set.replayMode = mode == Mode::kKernels ? CUPTI_KernelReplay : CUPTI_UserReplay;
  set.maxRangesPerPass = kRanges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  WARPTUNE_STEP(cuptiRangeProfilerSetConfig, &set);
  return {};
}

CountingStep CountingSession::start() {
  if (const CountingStep configured = configure(Mode::kKernels); configured.failed()) return configured;
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_Start_Params, start);
  start.pRangeProfilerObject = profiler_;
  WARPTUNE_STEP(cuptiRangeProfilerStart, &start);
  return {};
}

CountingStep CountingSession::stop(std::size_t& ranges) {
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
  stop.pRangeProfilerObject = profiler_;
  WARPTUNE_STEP(cuptiRangeProfilerStop, &stop);
  return decode(ranges);
}

CountingStep CountingSession::begin_range() { return configure(Mode::kRange); }

CountingStep CountingSession::start_pass() {
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_Start_Params, start);
  start.pRangeProfilerObject = profiler_;
  WARPTUNE_STEP(cuptiRangeProfilerStart, &start);
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_PushRange_Params, push);
  push.pRangeProfilerObject = profiler_;
  push.pRangeName = "graph";
  WARPTUNE_STEP(cuptiRangeProfilerPushRange, &push);
  return {};
}

CountingStep CountingSession::stop_pass(bool& is_last) {
  is_last = false;
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_PopRange_Params, pop);
  pop.pRangeProfilerObject = profiler_;
  const CUptiResult popped = cupti_.cuptiRangeProfilerPopRange(&pop);
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
  stop.pRangeProfilerObject = profiler_;
  WARPTUNE_STEP(cuptiRangeProfilerStop, &stop);
  if (popped != CUPTI_SUCCESS) return {popped, "cuptiRangeProfilerPopRange", nullptr};
  is_last = stop.isAllPassSubmitted != 0;
  return {};
}

CountingStep CountingSession::decode(std::size_t& ranges) {
  ranges = 0;
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = profiler_;
  WARPTUNE_STEP(cuptiRangeProfilerDecodeData, &decode);
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image();
  info.counterDataImageSize = record_->image_bytes;
  WARPTUNE_STEP(cuptiRangeProfilerGetCounterDataInfo, &info);
  ranges = decode.numOfRangeDropped > 0 ? 0 : info.numTotalRanges;
  return {};
}

void CountingSession::close() {
  if (profiler_ == nullptr) return;
  WARPTUNE_PARAMETERS(CUpti_RangeProfiler_Disable_Params, disable);
  disable.pRangeProfilerObject = profiler_;
  cupti_.cuptiRangeProfilerDisable(&disable);
  profiler_ = nullptr;
  mode_ = Mode::kNone;
}

std::size_t CountingSession::record_bytes() const {
  return sizeof(collecting::RawCounted) + collecting::raw_padded(record_->image_bytes);
}

}  // namespace warptune::survey::injected::counting
