#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/driver/nvml.h"

namespace warptune::profiling::timing {

/// A GPU at one moment, as far as NVML tells.
struct GpuSnapshot {
  driver::NvmlReading reading;
  std::optional<std::vector<driver::ComputeProcess>> processes;
  std::optional<unsigned> utilisation_percent;
};
GpuSnapshot take_snapshot(const driver::NvmlDevice& device);

/// Lowest and highest SM clock seen, MHz; 0 and 0 for none.
struct ClockRange {
  std::int64_t low_mhz = 0;
  std::int64_t high_mhz = 0;
};

/// Decides what people should be told about a GPU. Asks nothing itself.
///
/// A process is another when it stood in the list before ours had a context, or joined it later with a pid
/// that is not ours. In a container NVML may count pids as the host does: where our pid is in no list, the
/// first that joins is taken for us.
class GpuWatchRules {
 public:
  /// Less may be a display, or a monitor.
  static constexpr unsigned kBusyPercent = 5;

  explicit GpuWatchRules(std::uint64_t own_pid) : ours_{own_pid} {}

  /// The GPU before this process has a context on it: whoever computes is another.
  std::vector<std::string> set_up(const GpuSnapshot& before);
  /// The GPU while this process works on it. Each thing is told once.
  std::vector<std::string> look(const GpuSnapshot& now);
  /// Of all snapshots in which the GPU was not idle.
  ClockRange sm_clock_mhz() const { return clocks_; }

 private:
  void note_clock(const GpuSnapshot& now);
  std::vector<driver::ComputeProcess> new_others(const GpuSnapshot& now);
  std::optional<std::string> throttle_warning(const driver::NvmlReading& reading);

  std::set<std::uint64_t> ours_;
  std::set<std::uint64_t> others_;
  bool found_us_ = false;  ///< One of `ours_` stood in a list.
  std::uint64_t told_reasons_ = 0;
  ClockRange clocks_;
};

/// Looks at a GPU now and then and says what disturbs measurements. Without NVML it says nothing.
class GpuWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPeriod{1000};
  /// NVML's utilisation is of the last sixth of a second on data-centre GPUs.
  static constexpr std::chrono::milliseconds kUtilisationPeriod{250};

  /// Looks for the first time: to be made before this process has a context on the GPU (a device's bus id
  /// needs none).
  explicit GpuWatch(const driver::NvmlDevice& device);
  /// With other eyes, for tests.
  GpuWatch(std::function<GpuSnapshot()> snapshot, std::uint64_t own_pid,
           std::function<Clock::time_point()> now, const std::function<void()>& pause = {});

  /// Warnings for people since the last call, one line each, each thing once; those of the first look come
  /// with the first call. Returns at once while `kPeriod` has not passed; else takes what NVML takes.
  std::vector<std::string> look();

 private:
  std::function<GpuSnapshot()> snapshot_;
  std::function<Clock::time_point()> now_;
  GpuWatchRules rules_;
  Clock::time_point last_;
  std::vector<std::string> untold_;
};

}  // namespace warptune::profiling::timing
