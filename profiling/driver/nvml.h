#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptune::profiling::driver {

/// What NVML says of a GPU now; zeros where it says nothing.
struct NvmlReading {
  std::int64_t sm_clock_mhz = 0;
  std::int64_t memory_clock_mhz = 0;
  std::optional<std::uint64_t> throttle_reasons;  ///< nvmlClocksEventReason... bits.
};

/// A process with a compute context on a GPU. In a container NVML may count pids as the host does, or show
/// none.
struct ComputeProcess {
  std::uint64_t pid = 0;
  std::optional<std::uint64_t> bytes;  ///< GPU memory; not told to everyone.

  bool operator==(const ComputeProcess&) const = default;
};

struct NvmlFunctions;

/// One GPU as NVML sees it. NVML is loaded when first needed, every function of it may be missing or refuse:
/// then there is no value, and nothing throws. Calls take below 1 us to some milliseconds.
class NvmlDevice {
 public:
  /// `pci_bus_id` as the CUDA driver gives it. `library`: for tests, another file than the driver's.
  explicit NvmlDevice(const std::string& pci_bus_id, const std::string& library = "libnvidia-ml.so.1");

  /// Whether NVML loads and knows the GPU.
  bool found() const { return device_ != nullptr; }
  NvmlReading read() const;
  std::int64_t sm_clock_mhz() const;
  /// Energy since the driver was loaded, mJ; moves in ticks (10 a second on an H200). Volta and newer.
  std::optional<std::uint64_t> energy_mj() const;
  /// Board power; averaged over a second on Ampere and newer. NVML API reference, nvmlDeviceGetPowerUsage.
  std::optional<double> power_w() const;
  /// All processes with a compute context on this GPU, ours included.
  std::optional<std::vector<ComputeProcess>> processes() const;
  /// Share of the last sixth of a second to second in which a kernel ran.
  std::optional<unsigned> utilisation_percent() const;

 private:
  const NvmlFunctions* nvml_ = nullptr;
  struct nvmlDevice_st* device_ = nullptr;
};

/// Whether a mask of throttle reasons says more than that the GPU is idle or runs at the clocks set for
/// applications.
bool is_throttled(std::uint64_t reasons);

/// The set bits in words: "power cap, thermal (hardware)"; "none" for no bit. NVML API reference,
/// nvmlClocksEventReasons.
std::string describe_throttle(std::uint64_t reasons);

}  // namespace warptune::profiling::driver
