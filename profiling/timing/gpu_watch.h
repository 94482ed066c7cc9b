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

/// The state of a GPU at one moment, as far as NVML reports it.
struct GpuSnapshot {
  driver::NvmlReading reading;
  std::optional<std::vector<driver::ComputeProcess>> processes;
  std::optional<unsigned> utilisation_percent;
};
GpuSnapshot take_snapshot(const driver::NvmlDevice& device);

/// The lowest and the highest SM clock that was seen, in MHz. Both are 0 when none was seen.
struct ClockRange {
  std::int64_t low_mhz = 0;
  std::int64_t high_mhz = 0;
};

/// Decides which warnings about a GPU users get. It gets snapshots, and does not call NVML.
///
/// A process is foreign if it was in NVML's list before this process had a context, or if it appeared later
/// with another pid than this process. In a container NVML may report the pids of the host. If this process's
/// pid is in no list, the first new pid is accepted as this process.
///
/// The parent of this process is not foreign. It started this worker, and it may have a context of its own: a
/// program in Python whose PyTorch or CuPy holds memory.
class GpuWatchRules {
 public:
  /// A GPU is busy from this utilisation on. A lower one may come from a display or a monitoring tool.
  static constexpr unsigned kBusyPercent = 5;

  explicit GpuWatchRules(std::uint64_t own_pid, std::optional<std::uint64_t> parent_pid = {})
      : ours_{own_pid}, parent_(parent_pid) {}

  /// Judges the GPU before this process has a context on it: every process that computes is foreign.
  std::vector<std::string> set_up(const GpuSnapshot& before);
  /// Judges the GPU while this process works on it. Each warning is given once.
  std::vector<std::string> look(const GpuSnapshot& now);
  /// The clocks of all snapshots in which the GPU was not idle.
  ClockRange sm_clock_mhz() const { return clocks_; }

 private:
  void note_clock(const GpuSnapshot& now);
  std::vector<driver::ComputeProcess> new_others(const GpuSnapshot& now);
  std::optional<std::string> throttle_warning(const driver::NvmlReading& reading);

  std::set<std::uint64_t> ours_;
  std::optional<std::uint64_t> parent_;
  std::set<std::uint64_t> others_;
  bool found_own_process_ = false;  ///< Whether a list of processes had one of `ours_`.
  std::uint64_t reported_reasons_ = 0;
  ClockRange clocks_;
};

/// Looks at a GPU repeatedly, and reports what disturbs measurements. Without NVML it reports nothing.
class GpuWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPeriod{1000};
  /// NVML's utilisation covers the last sixth of a second on data-centre GPUs.
  static constexpr std::chrono::milliseconds kUtilisationPeriod{250};

  /// Looks for the first time. It must be made before this process has a context on the GPU. (The bus id of a
  /// device needs no context.)
  explicit GpuWatch(const driver::NvmlDevice& device);
  /// Tests replace the snapshot, the clock and the pause.
  GpuWatch(std::function<GpuSnapshot()> snapshot, GpuWatchRules rules, std::function<Clock::time_point()> now,
           const std::function<void()>& pause = {});

  /// Looks at the GPU if `kPeriod` has passed since the last look, and returns the new warnings, one line
  /// each. Each warning is given once. The first call also returns the warnings of the first look, in the
  /// constructor.
  std::vector<std::string> look();

 private:
  std::function<GpuSnapshot()> snapshot_;
  std::function<Clock::time_point()> now_;
  GpuWatchRules rules_;
  Clock::time_point last_;
  std::vector<std::string> pending_warnings_;
};

}  // namespace warptune::profiling::timing
