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
  bool refuses = false;  ///< Every question is "not supported".
};

}  // namespace warptune::profiling
