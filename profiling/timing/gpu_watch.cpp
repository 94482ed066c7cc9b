// Decides which processes on the GPU are foreign, and when to warn.
//
// The first look happens before this process has a context on the GPU, so every process in the list is
// foreign, except the parent of this process. Later a new pid is foreign unless it is the pid of this
// process. In a container, NVML may report the pids that processes have on the host, so this process does not
// find its own pid. Then the first new pid is accepted as this process, because it appears when this process
// makes its context.
//
// Each foreign process and each set of throttle reasons is reported once.
#include "profiling/timing/gpu_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace warptune::profiling::timing {

namespace {

std::string describe(const driver::ComputeProcess& process) {
  if (!process.bytes) return fmt::format("pid {}", process.pid);
  return fmt::format("pid {} with {} MiB", process.pid, *process.bytes >> 20U);
}

/// Returns `another process computes on this GPU (pid 17 with 300 MiB)`.
std::string describe(const std::vector<driver::ComputeProcess>& others) {
  std::vector<std::string> names;
  names.reserve(others.size());
  for (const driver::ComputeProcess& process : others) names.push_back(describe(process));
  return fmt::format("{} on this GPU ({})",
                     others.size() == 1 ? "another process computes"
                                        : fmt::format("{} other processes compute", others.size()),
                     fmt::join(names, ", "));
}

constexpr const char* kConsequence = "times and counters may be wrong";

}  // namespace

GpuSnapshot take_snapshot(const driver::NvmlDevice& device) {
  return {device.read(), device.processes(), device.utilisation_percent()};
}

std::vector<std::string> GpuWatchRules::set_up(const GpuSnapshot& before) {
  note_clock(before);
  std::vector<driver::ComputeProcess> others;
  for (const driver::ComputeProcess& process :
       before.processes.value_or(std::vector<driver::ComputeProcess>{})) {
    if (ours_.contains(process.pid) || process.pid == parent_) continue;
    if (others_.insert(process.pid).second) others.push_back(process);
  }
  const unsigned busy = before.utilisation_percent.value_or(0);
  if (!others.empty()) {
    return {fmt::format("{}{}: {}", describe(others),
                        busy > 0 ? fmt::format(", which was {} % busy before warptune started", busy) : "",
                        kConsequence)};
  }
  if (busy >= kBusyPercent) {
    return {
        fmt::format("the GPU was {} % busy before warptune started, perhaps by a process that cannot "
                    "be seen from here; {}",
                    busy, kConsequence)};
  }
  return {};
}

std::vector<std::string> GpuWatchRules::look(const GpuSnapshot& now) {
  note_clock(now);
  std::vector<std::string> warnings;
  if (const std::vector<driver::ComputeProcess> others = new_others(now); !others.empty())
    warnings.push_back(fmt::format("{}: {}", describe(others), kConsequence));
  if (const auto warning = throttle_warning(now.reading)) warnings.push_back(*warning);
  return warnings;
}

void GpuWatchRules::note_clock(const GpuSnapshot& now) {
  const std::int64_t clock = now.reading.sm_clock_mhz;
  if (clock == 0 || (now.reading.throttle_reasons.value_or(0) & driver::kIdleReason) != 0) return;
  clocks_.low_mhz = clocks_.low_mhz == 0 ? clock : std::min(clocks_.low_mhz, clock);
  clocks_.high_mhz = std::max(clocks_.high_mhz, clock);
}

std::vector<driver::ComputeProcess> GpuWatchRules::new_others(const GpuSnapshot& now) {
  std::vector<driver::ComputeProcess> joined;
  for (const driver::ComputeProcess& process :
       now.processes.value_or(std::vector<driver::ComputeProcess>{})) {
    if (ours_.contains(process.pid)) {
      found_own_process_ = true;
    } else if (!others_.contains(process.pid) && process.pid != parent_) {
      joined.push_back(process);
    }
  }
  if (!found_own_process_ && !joined.empty()) {
    ours_.insert(joined.front().pid);
    found_own_process_ = true;
    joined.erase(joined.begin());
  }
  for (const driver::ComputeProcess& process : joined) others_.insert(process.pid);
  return joined;
}

std::optional<std::string> GpuWatchRules::throttle_warning(const driver::NvmlReading& reading) {
  const std::uint64_t reasons = reading.throttle_reasons.value_or(0);
  const std::uint64_t new_reasons = reasons & ~reported_reasons_;
  if (!driver::is_throttled(new_reasons)) return std::nullopt;
  reported_reasons_ |= reasons;
  return fmt::format(
      "the GPU is throttled ({}){}: times depend on it", driver::describe_throttle(reasons),
      reading.sm_clock_mhz > 0 ? fmt::format(", its SMs run at {} MHz", reading.sm_clock_mhz) : "");
}

GpuWatch::GpuWatch(const driver::NvmlDevice& device)
    : GpuWatch([device] { return take_snapshot(device); },
               GpuWatchRules(static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(::getppid())),
               [] { return Clock::now(); }, [] { std::this_thread::sleep_for(kUtilisationPeriod); }) {}

GpuWatch::GpuWatch(std::function<GpuSnapshot()> snapshot, GpuWatchRules rules,
                   std::function<Clock::time_point()> now, const std::function<void()>& pause)
    : snapshot_(std::move(snapshot)), now_(std::move(now)), rules_(std::move(rules)), last_(now_()) {
  GpuSnapshot before = snapshot_();
  // The utilisation includes work that has just ended. So a busy GPU is looked at again after a pause.
  if (before.utilisation_percent.value_or(0) >= GpuWatchRules::kBusyPercent && pause) {
    pause();
    before = snapshot_();
  }
  pending_warnings_ = rules_.set_up(before);
}

std::vector<std::string> GpuWatch::look() {
  std::vector<std::string> warnings = std::exchange(pending_warnings_, {});
  const Clock::time_point now = now_();
  if (now - last_ < kPeriod) return warnings;
  last_ = now;
  for (std::string& warning : rules_.look(snapshot_())) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace warptune::profiling::timing
