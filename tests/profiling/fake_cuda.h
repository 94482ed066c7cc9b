#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warptune::profiling {

/// The distance from the host's address of write-combined memory to the GPU's.
inline constexpr std::uint64_t kFakeWriteCombinedDistance = std::uint64_t{1} << 49;

/// Addresses below the first are memory of the host; those from the second on are of device 1; others of
/// device 0.
inline constexpr std::uint64_t kFakeHostMemory = 4096;
inline constexpr std::uint64_t kFakeSecondDevice = std::uint64_t{1} << 50;

/// The answers of the fake libcuda. Its memory is the host's. It has one kernel, which it never runs. It does
/// everything immediately.
struct FakeCuda {
  int devices = 1;
  std::map<CUdevice_attribute, int> attributes;  ///< 0 for those that are missing.
  int highest_priority = -5;                     ///< The driver's number of streams' highest priority.
  std::vector<int> stream_priorities;            ///< The priorities of the streams that were made with one.
  std::vector<std::size_t> allocated;            ///< The sizes of the device memory that was allocated.
  std::vector<CUstream> pool_calls;              ///< The stream of each call that used the memory pool.
  std::size_t free_bytes = std::size_t{1} << 30;
  std::size_t free_host_bytes = std::size_t{1} << 40;  ///< What can be page-locked.

  /// This and the following members describe the kernel.
  int registers = 32;
  int static_shared_bytes = 0;
  int max_threads = 1024;
  std::vector<std::size_t> parameter_sizes;
  std::size_t variable_bytes = 0;  ///< The size of each variable of the module.
  int blocks_per_sm = 2;
  int clusters = 1;

  std::vector<std::pair<CUfunction_attribute, int>> attributes_set;
  /// How often the kernel was looked up in its module.
  int lookups = 0;
  int contexts = 0;  ///< Contexts that are retained and not released.
  /// The current context. Null: the thread has none. All contexts belong to device `context_device`.
  CUcontext current = nullptr;
  int context_device = 0;
  CUcontext stream_context = nullptr;  ///< The context of every stream.
  int context_waits = 0;               ///< How often all work of a context was waited for.
  bool is_capturing = false;           ///< Whether every stream is being captured.
  int waits = 0;                       ///< How often a stream was told to wait for an event.
  CUresult load_code = CUDA_SUCCESS;   ///< The result of loading a module.
  int modules = 0;                     ///< Modules that are loaded and not unloaded.
  /// All threads have the same one.
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

  /// A launch, as far as it is recorded. The array has the first eight bytes of each parameter.
  struct Launch {
    unsigned grid = 0, block = 0, shared_bytes = 0, attributes = 0;
    CUstream stream = nullptr;
    std::array<std::uint64_t, 16> parameters{};
  };
  bool records = true;  ///< If false, launches are only counted, which allocates nothing.
  std::vector<Launch> launches;
  std::size_t launched = 0;
  std::vector<std::pair<CUdeviceptr, std::size_t>> zeroed;  ///< Memory that was set to zero on a stream.
  std::vector<std::pair<CUdeviceptr, CUdeviceptr>> copied;  ///< Copies on a stream: to, from.

  /// A call that moves pages of managed memory, or advises about them.
  struct PageCall {
    std::optional<CUmem_advise> advice;  ///< No value means a prefetch.
    CUdeviceptr data = 0;
    std::size_t bytes = 0;
    CUmemLocationType place = CU_MEM_LOCATION_TYPE_INVALID;
    bool operator==(const PageCall&) const = default;
  };
  std::vector<PageCall> page_calls;
};

/// The attributes of a GPU like an H200.
std::map<CUdevice_attribute, int> fake_h200_attributes();

/// Returns the state of the loaded library. A program that cannot set it describes an H200 and the sizes of
/// the kernel's parameters by the variable `FAKE_CUDA_PARAMETERS`, such as "8,8,4".
FakeCuda& fake_cuda();

}  // namespace warptune::profiling
