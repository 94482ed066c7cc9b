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
  /// Whether there is nothing left to start: `start` was called, or counters are not wanted.
  bool has_started() const { return started_; }
  /// Whether launches are counted, or may be counted after `start`.
  bool active() const { return session_ != nullptr || !started_; }
  /// Counts one launch. Its reading will have this `id`. `prepare` runs before the launch, and is not
  /// counted. If the metrics take several passes, both functions are kept (see `CounterSession::count`).
  /// A launch that `is_graph` gets no metrics that need patched code. Returns false if the profiler fails:
  /// then counting ends, and `launch` may not have run.
  bool count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch,
             bool is_graph = false);
  /// Sets the measured time of the launch that is being counted or was counted last. If the counted range is
  /// much longer than expected from this time, the reading is disturbed (see `CounterSession::count`).
  void set_expected_time_of_last(double expected_ns);
  /// Returns the readings since the last call. With `close_session` it closes the open session first, which
  /// may launch again for further passes. Exceptions of these launches are passed on.
  std::vector<CounterReading> take(bool close_session);
  /// Closes the open session, because an open session makes every launch more expensive for the host. The
  /// next `count` opens another one. Throws like `take`.
  void pause();
  /// Must be called after the context was lost. After it, the object makes no calls of CUPTI.
  void abandon();
  /// Returns the warnings since the last call: why counters are missing, and which metrics are left out.
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
