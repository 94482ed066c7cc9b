#pragma once

namespace warptune::profiling {

/// The answers of the fake libnvidia-ml for its GPU, 0000:01:00.0. Its processes have pids from 100. The
/// first one hides its memory, and the i-th one uses i KiB.
struct FakeNvml {
  unsigned sm_clock_mhz = 0;
  unsigned memory_clock_mhz = 0;
  unsigned long long reasons = 0;
  unsigned long long energy_mj = 0;
  unsigned power_mw = 0;
  unsigned utilisation_percent = 0;
  unsigned process_count = 0;
  /// They are identical, except for `other_cores`.
  unsigned gpu_count = 1;
  const char* name = "NVIDIA H200";
  unsigned cores = 16896;
  /// The cores of the second GPU, if it is not 0.
  unsigned other_cores = 0;
  unsigned long long memory_bytes = 0;
  unsigned bus_bits = 6144;
  unsigned max_sm_clock_mhz = 1980;
  unsigned max_memory_clock_mhz = 3201;
  bool ecc = true;
  bool mig = false;
  int driver_version = 13000;
  const char* driver_release = "580.65.06";
  /// Every question is answered with "not supported".
  bool refuses = false;
};

}  // namespace warptune::profiling
