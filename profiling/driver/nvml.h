#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::profiling::driver {

/// The bit of the throttle reasons that says that the GPU is idle (nvmlClocksEventReasonGpuIdle).
inline constexpr std::uint64_t kIdleReason = 0x1;

/// The state of a GPU as NVML reports it at this moment. Unknown clocks are 0.
struct NvmlReading {
  std::int64_t sm_clock_mhz = 0;
  std::int64_t memory_clock_mhz = 0;
  std::optional<std::uint64_t> throttle_reasons;  ///< nvmlClocksEventReason... bits.

  /// Sets the clocks and the throttle reasons.
  void add_to(model::Environment& environment) const;
};

/// A process with a compute context on a GPU. In a container, NVML may report the process ids of the host, or
/// no processes at all.
struct ComputeProcess {
  std::uint64_t pid = 0;
  std::optional<std::uint64_t> bytes;  ///< GPU memory. NVML does not always report it.

  bool operator==(const ComputeProcess&) const = default;
};

struct NvmlFunctions;

/// One GPU, as NVML reports it. NVML is loaded when it is first needed. If a function of NVML is missing or
/// fails, the value is unknown (0 or `std::nullopt`), and nothing is thrown. A call takes from less than 1 us
/// to a few milliseconds.
class NvmlDevice {
 public:
  /// `pci_bus_id` comes from the CUDA driver. `library` is the NVML library to load. Tests load a substitute
  /// for the driver's library.
  explicit NvmlDevice(const std::string& pci_bus_id, const std::string& library = "libnvidia-ml.so.1");

  /// The GPU with this number in NVML's order.
  explicit NvmlDevice(unsigned index, const std::string& library = "libnvidia-ml.so.1");

  /// Whether NVML loads and knows the GPU.
  bool is_available() const { return device_ != nullptr; }
  NvmlReading read() const;
  std::int64_t sm_clock_mhz() const;
  /// The energy since the driver was loaded, in mJ. NVML updates it periodically (10 times
  /// per second on an H200). Needs Volta or newer.
  std::optional<std::uint64_t> energy_mj() const;
  /// The power of the board, averaged over one second on Ampere and newer (NVML API reference,
  /// nvmlDeviceGetPowerUsage).
  std::optional<double> power_w() const;
  /// All processes with a compute context on this GPU, including this one.
  std::optional<std::vector<ComputeProcess>> processes() const;
  /// The share of NVML's last sample period in which a kernel was running, in per cent. The period is between
  /// 1/6 s and 1 s.
  std::optional<unsigned> utilisation_percent() const;

 private:
  const NvmlFunctions* nvml_ = nullptr;
  struct nvmlDevice_st* device_ = nullptr;
};

/// The number of processes with a compute context on each GPU of the machine, in NVML's order. A number that
/// NVML does not report is std::nullopt. The result is empty when NVML does not load.
std::vector<std::optional<std::size_t>> process_counts(const std::string& library = "libnvidia-ml.so.1");

/// The release of the NVIDIA driver, such as `580.65.06`. Empty when NVML does not load or does not report
/// it.
std::string driver_release(const std::string& library = "libnvidia-ml.so.1");

/// Returns whether a mask of throttle reasons contains any reason other than an idle GPU and application
/// clocks (the clocks that a user has set).
bool is_throttled(std::uint64_t reasons);

/// Describes the set bits: "power cap, thermal (hardware)", or "none" (NVML API reference,
/// nvmlClocksEventReasons).
std::string describe_throttle(std::uint64_t reasons);

}  // namespace warptune::profiling::driver
