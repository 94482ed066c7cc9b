#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warptune::profiling::detail {

/// What NVML says of a GPU now.
struct NvmlReading {
  std::int64_t sm_clock_mhz = 0;
  std::int64_t memory_clock_mhz = 0;
  std::optional<std::uint64_t> throttle_reasons;  ///< nvmlClocksEventReason... bits.
};

/// Reads one GPU by its PCI bus; zeros where NVML does not load or refuses.
NvmlReading read_nvml(const std::string& pci_bus_id);

}  // namespace warptune::profiling::detail
