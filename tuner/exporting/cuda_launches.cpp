#include "tuner/exporting/cuda_support.h"

namespace warptune::tuner::exporting {

const std::string_view kCudaLaunches =
    R"header(/// The numbers of one launch.
struct LaunchShape {
  bool runs = true;
  bool valid = true;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned cluster[3] = {1, 1, 1};
  std::size_t shared_bytes = 0;
  bool cooperative = false;
  /// The preferred share of shared memory in the combined L1 cache and shared memory, in percent; -1: the
  /// driver chooses. It is set only if the definition has it, because it stays set for later launches.
  int carveout = -1;
  bool sets_carveout = false;
  cudaClusterSchedulingPolicy cluster_scheduling = cudaClusterSchedulingPolicyDefault;

  void set(unsigned& extent, const Cell& value) {
    long long number = 0;
    valid = valid && whole_from_to(value, 1, 2147483647LL, number);
    extent = static_cast<unsigned>(number);
  }
  void set_shared_bytes(const Cell& value) {
    long long number = 0;
    valid = valid && whole_from_to(value, 0, 2147483647LL, number);
    shared_bytes = static_cast<std::size_t>(number);
  }
  void set_carveout(const Cell& value) {
    long long number = 0;
    valid = valid && whole_from_to(value, -1, 100, number);
    carveout = static_cast<int>(number);
    sets_carveout = true;
  }
  void set_cluster_scheduling(const Cell& value) {
    const char* const name = value.kind == Cell::text ? value.words : "";
    if (same_text(name, "spread")) cluster_scheduling = cudaClusterSchedulingPolicySpread;
    if (same_text(name, "load_balancing")) cluster_scheduling = cudaClusterSchedulingPolicyLoadBalancing;
    valid = valid && (same_text(name, "default") || cluster_scheduling != cudaClusterSchedulingPolicyDefault);
  }
  bool truth_of(const Cell& value) {
    valid = valid && is_number(value);
    return is_true(value);
  }
};

/// Lets a kernel use all shared memory of a block, and clusters of any size. That is done once for each
/// kernel and device.
inline cudaError_t prepare(const void* kernel, const Device& device, std::atomic<bool>& is_ready) {
  if (is_ready.load(std::memory_order_acquire)) return cudaSuccess;
  cudaFuncAttributes attributes{};
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) return refused(error, "this file was not compiled for the device (nvcc -arch)");
  const long long dynamic =
      device.shared_bytes_per_block_optin - static_cast<long long>(attributes.sharedSizeBytes);
  error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic));
  if (error == cudaSuccess && device.compute_capability >= 90)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (error != cudaSuccess) return refused(error, "CUDA refuses to prepare a kernel");
  is_ready.store(true, std::memory_order_release);
  return cudaSuccess;
}

inline cudaError_t launch_kernel(const LaunchShape& shape, const void* kernel, cudaStream_t stream,
                                 void** parameters) {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[3];
  config.gridDim = dim3(shape.grid[0], shape.grid[1], shape.grid[2]);
  config.blockDim = dim3(shape.block[0], shape.block[1], shape.block[2]);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  if (shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shape.cluster[0];
    cluster.val.clusterDim.y = shape.cluster[1];
    cluster.val.clusterDim.z = shape.cluster[2];
  }
  if (shape.cooperative) {
    cudaLaunchAttribute& cooperative = attributes[config.numAttrs++];
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
  }
  if (shape.cluster_scheduling != cudaClusterSchedulingPolicyDefault) {
    cudaLaunchAttribute& scheduling = attributes[config.numAttrs++];
    scheduling.id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    scheduling.val.clusterSchedulingPolicyPreference = shape.cluster_scheduling;
  }
  cudaError_t error = cudaSuccess;
  if (shape.sets_carveout)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, shape.carveout);
  if (error == cudaSuccess) error = cudaLaunchKernelExC(&config, kernel, parameters);
  return error == cudaSuccess ? error : refused(error, "CUDA refuses the launch of a kernel");
}

/// The shape of a tensor map, innermost dimension first. Lengths are in elements.
struct MapShape {
  int dimensions = 0;
  Cell shape[5];
  Cell pitch[4];  ///< Of rows, planes, ...; failures mean packed elements.
  Cell box[5];
  Cell swizzle_bytes = cell(0);
  bool packed = true;
};

inline CUtensorMapDataType map_type(const char* type) {
  if (same_text(type, "f16")) return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  if (same_text(type, "bf16")) return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  if (same_text(type, "f32")) return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  if (same_text(type, "f64")) return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  if (same_text(type, "i32")) return CU_TENSOR_MAP_DATA_TYPE_INT32;
  if (same_text(type, "i64")) return CU_TENSOR_MAP_DATA_TYPE_INT64;
  if (same_text(type, "u32")) return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  if (same_text(type, "u64")) return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  return bytes_of(type) == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8;
}
inline CUtensorMapSwizzle map_swizzle(long long bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                       : CU_TENSOR_MAP_SWIZZLE_NONE;
}

/// cuTensorMapEncodeTiled of the driver; null if the driver lacks it.
inline decltype(&cuTensorMapEncodeTiled) map_encoder() {
  static void* const function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
#endif
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? found : nullptr;
  }();
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

/// Encodes a map of a buffer of `buffer_size` bytes.
inline cudaError_t encode_map(CUtensorMap& map, const MapShape& wanted, const char* type, const void* address,
                              long long buffer_size) {
  cuuint64_t shape[5] = {};
  cuuint64_t pitch_bytes[5] = {};
  cuuint32_t box[5] = {};
  const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  const long long size = bytes_of(type);
  long long swizzle = 0;
  bool valid = size > 0 && whole(wanted.swizzle_bytes, swizzle);
  long long packed = 1;
  double last = 1.0;  // The number of elements up to the last one.
  for (int i = 0; valid && i < wanted.dimensions; ++i) {
    long long extent = 0;
    long long part = 0;
    valid = whole_from_to(wanted.shape[i], 1, 1LL << 32, extent) && whole_from_to(wanted.box[i], 1, 256, part);
    long long pitch = packed;
    if (i > 0 && !wanted.packed) valid = valid && whole_from_to(wanted.pitch[i - 1], 1, 1LL << 40, pitch);
    if (!valid || pitch > (1LL << 40)) return refused(cudaErrorInvalidValue, "the shape of a tensor map has no value");
    shape[i] = static_cast<cuuint64_t>(extent);
    box[i] = static_cast<cuuint32_t>(part);
    if (i > 0) pitch_bytes[i - 1] = static_cast<cuuint64_t>(pitch * size);
    last += static_cast<double>(extent - 1) * static_cast<double>(pitch);
    packed = extent > (1LL << 41) / packed ? 1LL << 41 : packed * extent;
  }
  if (!valid) return refused(cudaErrorInvalidValue, "the shape of a tensor map has no value");
  if (last * static_cast<double>(size) > static_cast<double>(buffer_size))
    return refused(cudaErrorInvalidValue, "a tensor map is larger than its buffer");
  const auto encode = map_encoder();
  if (encode == nullptr) return refused(cudaErrorNotSupported, "the driver has no cuTensorMapEncodeTiled");
  const CUresult result =
      encode(&map, map_type(type), static_cast<cuuint32_t>(wanted.dimensions), const_cast<void*>(address), shape,
             pitch_bytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, map_swizzle(swizzle),
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess
                                : refused(cudaErrorInvalidValue, "the driver refuses the shape of a tensor map");
}

}  // namespace warptune_detail
#endif  // WARPTUNE_CUDA_SUPPORT
)header";

}  // namespace warptune::tuner::exporting
