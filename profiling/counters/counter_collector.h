#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiling/counters/counter_session.h"
#include "profiling/counters/metric_planner.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/kernel_runner.h"

namespace warptune::profiling::counters {

/// The functions that provide counters. Both throw `base::Error` when there are no counters.
struct CounterSource {
  std::function<MetricChoice()> choose;
  std::function<std::unique_ptr<CounterSession>(const std::vector<std::string>& metrics)> make_session;
};

/// Collects hardware counters of a runner's launches. It owns the profiler session, and stops counting when
/// the profiler fails.
class CounterCollector {
 public:
  /// `count` says whether counters are wanted.
  CounterCollector(std::string chip, CounterSource source, bool count);
  /// Collects counters with CUPTI. `warm_up` is described at `CounterSession`. `context` must outlive the
  /// collector.
  CounterCollector(const driver::Context& context, const std::string& chip, const RunnerOptions& options,
                   std::function<void()> warm_up);

  /// Opens the first session when counters are wanted and available. Later calls do nothing.
  void start();
  bool has_started() const { return started_; }
  /// Whether launches are counted, or will be counted after `start`.
  bool active() const { return session_ != nullptr || !started_; }
  /// Counts one launch for `id`. `prepare` runs before it, outside of the range. If the metrics take several
  /// passes, both functions are kept (see `CounterSession::count`). Returns false when the profiler fails:
  /// counting ends then, and `launch` may not have run.
  bool count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch);
  /// Sets the measured time of the launch that is being counted or was counted last.
  void set_expected_time_of_last(double expected_ns);
  /// Returns the readings since the last call. With `close_session` it closes the open session first. Passes
  /// on what launches of further passes throw.
  std::vector<CounterReading> take(bool close_session);
  /// Closes the open session, because it makes every launch more expensive for the host. `count` opens
  /// another one. Throws like `take`.
  void pause();
  /// Makes no further calls of CUPTI. To be called after the context was lost.
  void abandon();
  /// Returns messages for people, each of them once: why counters are missing, and which metrics are left
  /// out.
  std::vector<std::string> take_warnings();
  /// Why counters are missing although they were wanted. Empty when they work.
  const std::string& problem() const { return problem_; }

 private:
  void close(bool opens_again);
  void end(const std::string& problem);
  void give_up(std::string problem);

  std::string chip_;
  CounterSource source_;
  bool started_;
  std::unique_ptr<CounterSession> session_;
  std::vector<CounterReading> readings_;
  std::string problem_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::profiling::counters
