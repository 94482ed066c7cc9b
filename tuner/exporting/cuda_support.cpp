#include "tuner/exporting/cuda_support.h"

namespace warptune::tuner::exporting {

const std::string_view kCudaSupport =
    R"header(#if !defined(__CUDACC_RTC__) && !defined(WARPTUNE_CUDA_SUPPORT)
#define WARPTUNE_CUDA_SUPPORT 1
namespace warptune_detail {

/// Why the last launch of this thread was refused; empty if it was not.
inline const char*& reason() {
  static thread_local const char* text = "";
  return text;
}
inline cudaError_t refused(cudaError_t error, const char* text) {
  reason() = text;
  return error;
}

/// The name of an element's type in kernel definitions; "" for types that are not checked.
template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, __half>) return "f16";
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return "bf16";
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool with_sign = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return with_sign ? "i8" : "u8";
    if constexpr (sizeof(T) == 2) return with_sign ? "i16" : "u16";
    if constexpr (sizeof(T) == 4) return with_sign ? "i32" : "u32";
    if constexpr (sizeof(T) == 8) return with_sign ? "i64" : "u64";
  }
  return "";
}

/// A pointer to the elements of an argument that kernels read. A pointer to `void` or to a type that kernel
/// definitions do not know (float4) is accepted for any type.
struct InBuffer {
  const void* address = nullptr;
  const char* type = "";
  template <class T>
  InBuffer(const T* pointer) : address(pointer), type(type_name<T>()) {}
};
/// The same for an argument that kernels write.
struct OutBuffer {
  void* address = nullptr;
  const char* type = "";
  template <class T>
  OutBuffer(T* pointer) : address(pointer), type(type_name<T>()) {
    static_assert(!std::is_const_v<T>, "the kernel writes this argument");
  }
};

/// A number of any type.
struct Number {
  Cell value;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Number(T number) : value(of(number)) {}

 private:
  template <class T>
  static Cell of(T number) {
    if constexpr (std::is_floating_point_v<T>) return cell(static_cast<double>(number));
    if constexpr (!std::is_floating_point_v<T>) return cell(static_cast<long long>(number));
  }
};

/// Reads an integer, or a real without a fraction.
inline bool whole(const Cell& value, long long& number) {
  if (is_integral(value)) {
    number = value.whole;
    return true;
  }
  if (value.kind != Cell::real || !(value.number >= -9e18 && value.number <= 9e18)) return false;
  number = static_cast<long long>(value.number);
  return !(static_cast<double>(number) < value.number) && !(static_cast<double>(number) > value.number);
}
inline bool whole_from_to(const Cell& value, long long first, long long last, long long& number) {
  return whole(value, number) && number >= first && number <= last;
}

/// A scalar argument as the kernel gets it.
struct Scalar {
  alignas(8) unsigned char bytes[8] = {};
  bool fits = false;

  Scalar(const Cell& value, const char* type) {
    const double real = number_of(value);
    if (same_text(type, "f32")) set(value, static_cast<float>(real));
    if (same_text(type, "f64")) set(value, real);
    if (same_text(type, "f16")) set(value, __float2half(static_cast<float>(real)));
    if (same_text(type, "bf16")) set(value, __float2bfloat16(static_cast<float>(real)));
    if (same_text(type, "i8")) set_integer<signed char>(value);
    if (same_text(type, "i16")) set_integer<short>(value);
    if (same_text(type, "i32")) set_integer<int>(value);
    if (same_text(type, "i64")) set_integer<long long>(value);
    if (same_text(type, "u8")) set_integer<unsigned char>(value);
    if (same_text(type, "u16")) set_integer<unsigned short>(value);
    if (same_text(type, "u32")) set_integer<unsigned>(value);
    if (same_text(type, "u64")) set_integer<unsigned long long>(value);
  }

 private:
  template <class T>
  void set(const Cell& value, T number) {
    std::memcpy(bytes, &number, sizeof(T));
    fits = is_number(value);
  }
  template <class T>
  void set_integer(const Cell& value) {
    long long number = 0;
    if (!whole(value, number)) return;
    const T narrow = static_cast<T>(number);
    set(value, narrow);
    fits = static_cast<long long>(narrow) == number && (std::is_signed_v<T> || number >= 0);
  }
};

inline long long bytes_of(const char* type) {
  const Cell size = size_of(cell(type));
  return is_failure(size) ? 0 : size.whole;
}

/// The bytes of a buffer; 0 if its size has no value, is not positive or overflows.
inline long long buffer_bytes(const Cell& count, const char* type) {
  long long elements = 0;
  const long long size = bytes_of(type);
  if (size == 0 || !whole_from_to(count, 1, most / size, elements)) return 0;
  return elements * size;
}

/// The alignment that launches demand of an argument, in bytes: that of the widest access to memory.
constexpr std::uintptr_t kAlignment = 16;
constexpr long long kWorkspaceAlignment = 256;

/// Returns why a buffer cannot be an argument; null if it can.
inline const char* fault_of(const void* address, const char* given, const char* type, long long bytes) {
  if (bytes == 0) return "the size of an argument has no value for this problem";
  if (address == nullptr) return "an argument is a null pointer";
  if (*given != '\0' && !same_text(given, type)) return "an argument points to elements of another type";
  // A shorter buffer has no wide accesses.
  const std::uintptr_t alignment =
      bytes < static_cast<long long>(kAlignment) ? static_cast<std::uintptr_t>(bytes_of(type)) : kAlignment;
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    return "an argument is not aligned to 16 bytes";
  return nullptr;
}
inline cudaError_t error_of(const char* fault) {
  const bool misaligned = same_text(fault, "an argument is not aligned to 16 bytes");
  return misaligned ? cudaErrorMisalignedAddress : cudaErrorInvalidValue;
}

/// Copies the elements of an argument to a variable of a program.
inline cudaError_t copy_to_symbol(const void* symbol, const InBuffer& from, const char* type, const Cell& count,
                                  cudaStream_t stream) {
  const long long bytes = buffer_bytes(count, type);
  if (bytes == 0) return refused(cudaErrorInvalidValue, "the size of an argument has no value for this problem");
  if (from.address == nullptr) return refused(cudaErrorInvalidValue, "an argument is a null pointer");
  if (*from.type != '\0' && !same_text(from.type, type))
    return refused(cudaErrorInvalidValue, "an argument points to elements of another type");
  std::size_t room = 0;
  cudaError_t error = cudaGetSymbolSize(&room, symbol);
  if (error != cudaSuccess) return refused(error, "this file was not compiled for the device (nvcc -arch)");
  if (static_cast<std::size_t>(bytes) > room)
    return refused(cudaErrorInvalidValue, "a variable of the kernel is smaller than its contents");
  error = cudaMemcpyToSymbolAsync(symbol, from.address, static_cast<std::size_t>(bytes), 0, cudaMemcpyDefault, stream);
  return error == cudaSuccess ? error : refused(error, "CUDA refuses to copy to a variable");
}

/// Places the scratch buffers of a configuration in the workspace.
struct Layout {
  long long bytes = 0;
  long long zeroed = 0;  ///< The first bytes of the workspace, which are set to zero before each launch.
  bool valid = true;

  long long add(long long size, bool zero) {
    const long long offset = bytes;
    if (size == 0 || size > most / 2 - bytes) valid = false;
    if (!valid) return 0;
    bytes += (size + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
    if (zero) zeroed = offset + size;
    return offset;
  }
};

constexpr int kMaxDevices = 64;

inline cudaError_t read_device(int ordinal, Device& device) {
  int failed = 0;
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&value, which, ordinal);
    if (error != cudaSuccess && failed == 0) failed = static_cast<int>(error);
    return value;
  };
  device.compute_capability = attribute(cudaDevAttrComputeCapabilityMajor) * 10;
  device.compute_capability += attribute(cudaDevAttrComputeCapabilityMinor);
  device.sm_count = attribute(cudaDevAttrMultiProcessorCount);
  device.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  device.ecc = attribute(cudaDevAttrEccEnabled) != 0 ? 1 : 0;
  device.max_threads_per_block = attribute(cudaDevAttrMaxThreadsPerBlock);
  device.max_threads_per_sm = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  device.registers_per_sm = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  device.shared_bytes_per_block_optin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  device.shared_bytes_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  return static_cast<cudaError_t>(failed);
}

/// The current device. Its attributes are read once in a process.
inline cudaError_t current_device(Device& device, int& ordinal) {
  struct Entry {
    std::atomic<int> state{0};  // 1: a thread writes it. 2: it can be read.
    Device device;
  };
  static Entry entries[kMaxDevices];
  cudaError_t error = cudaGetDevice(&ordinal);
  if (error != cudaSuccess) return refused(error, "CUDA has no device for this thread");
  if (ordinal < 0 || ordinal >= kMaxDevices)
    return refused(cudaErrorInvalidDevice, "the device's number is above 63");
  Entry& entry = entries[ordinal];
  if (entry.state.load(std::memory_order_acquire) == 2) {
    device = entry.device;
    return cudaSuccess;
  }
  error = read_device(ordinal, device);
  if (error != cudaSuccess) return refused(error, "CUDA does not tell the attributes of the device");
  int unread = 0;
  if (entry.state.compare_exchange_strong(unread, 1)) {
    entry.device = device;
    entry.state.store(2, std::memory_order_release);
  }
  return cudaSuccess;
}

/// Refuses a stream of another device than the current one.
inline cudaError_t check_stream(cudaStream_t stream, int ordinal) {
#if CUDART_VERSION >= 12080
  int of_stream = ordinal;
  const cudaError_t error = cudaStreamGetDevice(stream, &of_stream);
  if (error != cudaSuccess) return refused(error, "CUDA does not know the stream");
  if (of_stream != ordinal)
    return refused(cudaErrorInvalidResourceHandle, "the stream belongs to another device than the current one");
#else
  static_cast<void>(stream);
  static_cast<void>(ordinal);
#endif
  return cudaSuccess;
}

/// The numbers of one launch.
struct LaunchShape {
  bool runs = true;
  bool valid = true;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned cluster[3] = {1, 1, 1};
  std::size_t shared_bytes = 0;
  bool cooperative = false;

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
  cudaLaunchAttribute attributes[2];
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
  const cudaError_t error = cudaLaunchKernelExC(&config, kernel, parameters);
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
