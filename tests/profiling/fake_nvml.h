#pragma once

namespace warptune::profiling {

/// What the fake libnvidia-ml answers for its one GPU, 0000:01:00.0. Its processes have pids from 100; the
/// first hides its memory, the i-th has i KiB.
struct FakeNvml {
  unsigned sm_clock_mhz = 0;
  unsigned memory_clock_mhz = 0;
  unsigned long long reasons = 0;
  unsigned long long energy_mj = 0;
  unsigned power_mw = 0;
  unsigned utilisation_percent = 0;
  unsigned process_count = 0;
  unsigned gpu_count = 1;  ///< All alike, but for `other_cores`.
  const char* name = "NVIDIA H200";
  unsigned cores = 16896;
  unsigned other_cores = 0;  ///< Of the second GPU, where not 0.
  unsigned long long memory_bytes = 0;
  unsigned bus_bits = 6144;
  unsigned max_sm_clock_mhz = 1980;
  unsigned max_memory_clock_mhz = 3201;
  bool ecc = true;
  bool mig = false;
  bool refuses = false;  ///< Every question is "not supported".
};

}  // namespace warptune::profiling
