// The functions of the CUDA runtime that exported files call, without a GPU. They print what they are asked.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

bool fake_has_no_device = false;
bool fake_has_no_code = false;
int fake_device_of_streams = 0;

namespace {

cudaError_t last_error = cudaSuccess;

CUresult encode(CUtensorMap*, CUtensorMapDataType type, cuuint32_t dimensions, void*, const cuuint64_t* shape,
                const cuuint64_t* pitch_bytes, const cuuint32_t* box, const cuuint32_t*,
                CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                CUtensorMapFloatOOBfill) {
  std::printf("map of type %d, %u dimensions, %llu x %llu, rows %llu bytes apart, box %u x %u, swizzle %d\n",
              static_cast<int>(type), dimensions, static_cast<unsigned long long>(shape[0]),
              static_cast<unsigned long long>(shape[1]), static_cast<unsigned long long>(pitch_bytes[0]),
              box[0], box[1], static_cast<int>(swizzle));
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return fake_has_no_device ? cudaErrorInsufficientDriver : cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  if (which == cudaDevAttrMemoryClockRate) return last_error = cudaErrorInvalidValue;
  *value = which == cudaDevAttrComputeCapabilityMajor          ? 9
           : which == cudaDevAttrMultiProcessorCount           ? 132
           : which == cudaDevAttrMaxThreadsPerBlock            ? 1024
           : which == cudaDevAttrMaxSharedMemoryPerBlockOptin  ? 232448
           : which == cudaDevAttrMaxRegistersPerMultiprocessor ? 65536
                                                               : 0;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = fake_device_of_streams;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  attributes->sharedSizeBytes = 48;
  return fake_has_no_code ? cudaErrorNoKernelImageForDevice : cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute which, int value) {
  if (which == cudaFuncAttributeMaxDynamicSharedMemorySize) std::printf("up to %d bytes\n", value);
  if (which == cudaFuncAttributePreferredSharedMemoryCarveout)
    std::printf("prefers %d %% of shared memory\n", value);
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void*, void** parameters) {
  std::printf("grid %u block %u shared %zu", config->gridDim.x, config->blockDim.x, config->dynamicSmemBytes);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      std::printf(" cluster %u", attribute.val.clusterDim.x);
    if (attribute.id == cudaLaunchAttributeCooperative) std::printf(" cooperative");
    if (attribute.id == cudaLaunchAttributeClusterSchedulingPolicyPreference)
      std::printf(" scheduling %d", static_cast<int>(attribute.val.clusterSchedulingPolicyPreference));
  }
  long long n = 0;
  float alpha = 0.0F;
  std::memcpy(&n, parameters[4], sizeof(n));
  std::memcpy(&alpha, parameters[5], sizeof(alpha));
  std::printf(" n %lld alpha %g\n", n, static_cast<double>(alpha));
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void*, int value, std::size_t bytes, cudaStream_t) {
  std::printf("%zu bytes of %d\n", bytes, value);
  return cudaSuccess;
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void*) {
  *bytes = 64;
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbolAsync(const void*, const void*, std::size_t bytes, std::size_t, cudaMemcpyKind,
                                    cudaStream_t) {
  std::printf("%zu bytes to a variable\n", bytes);
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  *function = std::strcmp(name, "cuTensorMapEncodeTiled") == 0 ? reinterpret_cast<void*>(&encode) : nullptr;
  *result = cudaDriverEntryPointSuccess;
  return cudaSuccess;
}

}  // extern "C"
