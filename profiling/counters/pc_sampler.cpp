// Samples the program counter with CUPTI (CUPTI documentation, "PC Sampling API"). The hardware takes a
// sample of one warp per SM at a fixed interval of cycles. So a source line's share of the samples is its
// share of the warps' time.
#include "profiling/counters/pc_sampler.h"

#include <array>

#include "profiling/counters/cupti.h"

namespace warptune::profiling::counters {

namespace {

constexpr std::size_t kInstructions = 4096;  // One call of CUPTI returns at most this many.
constexpr std::size_t kHardwareBytes = std::size_t{128} << 20U;

// The parameters of a call that takes only a context.
template <class Parameters>
Parameters of_context(CUcontext context, std::size_t size) {
  Parameters parameters{};
  parameters.size = size;
  parameters.ctx = context;
  return parameters;
}

}  // namespace

PcSampler::Buffer::Buffer(std::size_t instructions, std::size_t reasons)
    : instructions_(instructions), stalls_(instructions * reasons) {
  for (std::size_t i = 0; i < instructions; ++i) {
    instructions_[i].size = sizeof(CUpti_PCSamplingPCData);
    instructions_[i].stallReason = &stalls_[i * reasons];
  }
  data_.size = sizeof(CUpti_PCSamplingData);
  data_.collectNumPcs = instructions;
  data_.pPcData = instructions_.data();
}

PcSampler::PcSampler(CUcontext context) : context_(context) {
  initialise_profiler();
  auto parameters = of_context<CUpti_PCSamplingEnableParams>(context, CUpti_PCSamplingEnableParamsSize);
  WARPTUNE_CUPTI(cuptiPCSamplingEnable, &parameters);
  read_reasons();
}

PcSampler::~PcSampler() {
  auto parameters = of_context<CUpti_PCSamplingDisableParams>(context_, CUpti_PCSamplingDisableParamsSize);
  cupti().cuptiPCSamplingDisable(&parameters);
}

void PcSampler::read_reasons() {
  auto counting = of_context<CUpti_PCSamplingGetNumStallReasonsParams>(
      context_, CUpti_PCSamplingGetNumStallReasonsParamsSize);
  counting.numStallReasons = &reason_count_;
  WARPTUNE_CUPTI(cuptiPCSamplingGetNumStallReasons, &counting);
  std::vector<std::array<char, CUPTI_STALL_REASON_STRING_SIZE>> names(reason_count_);
  std::vector<char*> places;
  places.reserve(reason_count_);
  for (auto& name : names) places.push_back(name.data());
  std::vector<std::uint32_t> numbers(reason_count_);
  auto naming =
      of_context<CUpti_PCSamplingGetStallReasonsParams>(context_, CUpti_PCSamplingGetStallReasonsParamsSize);
  naming.numStallReasons = reason_count_;
  naming.stallReasonIndex = numbers.data();
  naming.stallReasons = places.data();
  WARPTUNE_CUPTI(cuptiPCSamplingGetStallReasons, &naming);
  for (std::size_t i = 0; i < reason_count_; ++i) {
    std::string reason = stall_reason(names[i].data());
    if (!reason.empty()) reasons_[numbers[i]] = std::move(reason);
  }
}

void PcSampler::configure(unsigned period_log2) {
  last_ = std::make_unique<Buffer>(kInstructions, reason_count_);
  reading_ = std::make_unique<Buffer>(kInstructions, reason_count_);
  std::array<CUpti_PCSamplingConfigurationInfo, 5> attributes{};
  attributes[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  attributes[0].attributeData.samplingPeriodData.samplingPeriod = period_log2;
  attributes[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
  attributes[1].attributeData.collectionModeData.collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  attributes[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
  attributes[2].attributeData.enableStartStopControlData.enableStartStopControl = 1;
  attributes[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
  attributes[3].attributeData.hardwareBufferSizeData.hardwareBufferSize = kHardwareBytes;
  attributes[4].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
  attributes[4].attributeData.samplingDataBufferData.samplingDataBuffer = &last_->data();
  auto parameters = of_context<CUpti_PCSamplingConfigurationInfoParams>(
      context_, CUpti_PCSamplingConfigurationInfoParamsSize);
  parameters.numAttributes = attributes.size();
  parameters.pPCSamplingConfigurationInfo = attributes.data();
  WARPTUNE_CUPTI(cuptiPCSamplingSetConfigurationAttribute, &parameters);
}

void PcSampler::start() {
  auto parameters = of_context<CUpti_PCSamplingStartParams>(context_, CUpti_PCSamplingStartParamsSize);
  WARPTUNE_CUPTI(cuptiPCSamplingStart, &parameters);
}

void PcSampler::stop() {
  auto parameters = of_context<CUpti_PCSamplingStopParams>(context_, CUpti_PCSamplingStopParamsSize);
  WARPTUNE_CUPTI(cuptiPCSamplingStop, &parameters);
}

// The name of the function is not freed, because other records of CUPTI point to the same text.
InstructionSamples PcSampler::samples_of(const CUpti_PCSamplingPCData& instruction) const {
  InstructionSamples samples;
  if (instruction.functionName != nullptr) samples.function = instruction.functionName;
  samples.offset = instruction.pcOffset;
  samples.stalls.reserve(instruction.stallReasonCount);
  for (std::size_t i = 0; i < instruction.stallReasonCount; ++i) {
    const auto reason = reasons_.find(instruction.stallReason[i].pcSamplingStallReasonIndex);
    if (reason != reasons_.end())
      samples.stalls.push_back({reason->second, instruction.stallReason[i].samples});
  }
  return samples;
}

std::vector<InstructionSamples> PcSampler::take() {
  std::vector<InstructionSamples> all;
  CUpti_PCSamplingData& data = reading_->data();
  do {
    data.totalNumPcs = 0;
    data.remainingNumPcs = 0;
    auto parameters = of_context<CUpti_PCSamplingGetDataParams>(context_, CUpti_PCSamplingGetDataParamsSize);
    parameters.pcSamplingData = &data;
    WARPTUNE_CUPTI(cuptiPCSamplingGetData, &parameters);
    dropped_ += data.droppedSamples;
    all.reserve(all.size() + data.totalNumPcs);
    for (std::size_t i = 0; i < data.totalNumPcs; ++i) all.push_back(samples_of(reading_->instruction(i)));
  } while (data.totalNumPcs > 0 && data.remainingNumPcs > 0);
  return all;
}

}  // namespace warptune::profiling::counters
