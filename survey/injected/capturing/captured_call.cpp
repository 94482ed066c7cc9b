#include "survey/injected/capturing/captured_call.h"

#include <cupti_driver_cbid.h>

namespace warptune::survey::injected::capturing {

namespace {

// The parameters of cuLaunchKernel. Those of cuLaunchCooperativeKernel are the same without the last one.
struct PlainParameters {
  CUfunction function;
  std::array<unsigned int, 3> grid;
  std::array<unsigned int, 3> block;
  unsigned int shared_bytes;
  CUstream stream;
  void** parameters;
  void** extra;
};
struct ExtendedParameters {
  const CUlaunchConfig* config;
  CUfunction function;
  void** parameters;
  void** extra;
};

CapturedCall plain_call(const PlainParameters& given, bool cooperative) {
  CapturedCall call;
  call.function = given.function;
  call.grid = given.grid;
  call.block = given.block;
  call.shared_bytes = given.shared_bytes;
  call.stream = given.stream;
  call.cooperative = cooperative;
  call.parameters = given.parameters;
  if (!cooperative) call.extra = given.extra;
  return call;
}

void take_attribute(const CUlaunchAttribute& attribute, CapturedCall& call) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      call.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                      attribute.value.clusterDim.z};
      break;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      call.cooperative = attribute.value.cooperative != 0;
      break;
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      break;
    default:
      ++call.left_out_attributes;
  }
}

}  // namespace

std::optional<CapturedCall> captured_call(CUpti_CallbackId callback, const void* parameters) {
  if (parameters == nullptr) return std::nullopt;
  switch (callback) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return plain_call(*static_cast<const PlainParameters*>(parameters), false);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return plain_call(*static_cast<const PlainParameters*>(parameters), true);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& given = *static_cast<const ExtendedParameters*>(parameters);
      if (given.config == nullptr) return std::nullopt;
      CapturedCall call;
      call.function = given.function;
      call.grid = {given.config->gridDimX, given.config->gridDimY, given.config->gridDimZ};
      call.block = {given.config->blockDimX, given.config->blockDimY, given.config->blockDimZ};
      call.shared_bytes = given.config->sharedMemBytes;
      call.stream = given.config->hStream;
      call.parameters = given.parameters;
      call.extra = given.extra;
      for (unsigned int i = 0; given.config->attrs != nullptr && i < given.config->numAttrs; ++i)
        take_attribute(given.config->attrs[i], call);
      return call;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace warptune::survey::injected::capturing
