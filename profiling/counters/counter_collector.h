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

/// Where counters come from. Both functions throw `base::Error` where there are none.
struct CounterSource {
  std::function<MetricChoice()> choose;
  std::function<std::unique_ptr<CounterSession>(const std::vector<std::string>& metrics)> make_session;
};

/// Hardware counters of a runner's launches: the profiler session.
class CounterCollector {
 public:
  /// `count`: whether counters are wanted.
  CounterCollector(std::string chip, CounterSource source, bool count);
  /// Counters that CUPTI reads.
  /// `throwaway`: see `CounterSession`. `context` must outlive it.
  CounterCollector(const driver::Context& context, const std::string& chip, const RunnerOptions& options,
                   std::function<void()> throwaway);

  /// Opens the first session where counters are wanted and can be had. Once; later calls do nothing.
  void start();
  bool has_started() const { return started_; }
  /// Whether launches are counted, or will be once it was started.
  bool active() const { return session_ != nullptr || !started_; }
  /// One launch for `id`; `prepare` runs before it outside the range. Sets of several passes keep both, see
  /// `CounterSession::count`. Where the profiler fails, counting ends and `launch` may not have run: false.
  bool count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch);
  void expect_of_last(double expected_ns);
  /// Readings since the last call; `close_session` ends the open one first. Throws what launches of further
  /// passes throw.
  std::vector<CounterReading> take(bool close_session);
  /// Closes the open session, which makes each launch dearer for the host; `count` opens another. Throws as
  /// `take`.
  void pause();
  /// After the context was lost: makes no further calls.
  void abandon();
  /// Lines for people, each given once: why there are no counters, metrics that are left out.
  std::vector<std::string> take_warnings();
  /// Why there are none although asked for; empty when they work.
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
