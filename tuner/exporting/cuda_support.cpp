#include "tuner/exporting/cuda_support.h"

namespace warptune::tuner::exporting {

const std::string_view kCudaArguments =
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

/// The alignment that launches demand of an argument, in bytes: that of the widest access to memory. It has 32 bytes from compute
/// capability 10.0 on.
inline std::uintptr_t alignment_on(int compute_capability) { return compute_capability >= 100 ? 32 : 16; }
constexpr long long kWorkspaceAlignment = 256;

constexpr const char* kMisaligned16 = "an argument is not aligned to 16 bytes";
constexpr const char* kMisaligned32 = "an argument is not aligned to 32 bytes";

/// Returns why a buffer cannot be an argument; null if it can.
inline const char* fault_of(const void* address, const char* given, const char* type, long long bytes,
                            std::uintptr_t widest) {
  if (bytes == 0) return "the size of an argument has no value for this problem";
  if (address == nullptr) return "an argument is a null pointer";
  if (*given != '\0' && !same_text(given, type)) return "an argument points to elements of another type";
  // A shorter buffer has no wide accesses.
  const std::uintptr_t alignment =
      bytes < static_cast<long long>(widest) ? static_cast<std::uintptr_t>(bytes_of(type)) : widest;
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) return widest == 32 ? kMisaligned32 : kMisaligned16;
  return nullptr;
}
inline cudaError_t error_of(const char* fault) {
  const bool misaligned = same_text(fault, kMisaligned16) || same_text(fault, kMisaligned32);
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
  // The memory's clock is in kHz, and there are two transfers a clock. The width of the bus is in bits. A GPU
  // that does not say them has an unknown bandwidth.
  int memory_khz = 0;
  int bus_bits = 0;
  if (cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, ordinal) == cudaSuccess &&
      cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, ordinal) == cudaSuccess)
    device.memory_bandwidth_bytes_per_s = 2000LL * memory_khz * bus_bits / 8;
  else
    cudaGetLastError();  // Otherwise the program would find the refused question as its own error.
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

)header";

}  // namespace warptune::tuner::exporting
