#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/counters/range_profiler.h"
#include "profiling/kernel_runner.h"

namespace warptune::profiling::counters {

/// Counts launches, one range each, in profiler sessions that stay open over a batch of them, since opening
/// and closing a session costs far more than a range (docs/design.md, "Facts measured").
///
/// The first pass runs when `count` is called. Where the metrics take several, the further ones run over the
/// whole batch when it closes, so that a pass is opened and closed once a batch.
/// Each pass begins with a range that is thrown away: what the profiler does the first time falls into it.
class CounterSession {
 public:
  /// `metrics` must be known to the chip. `throwaway` runs in the range that is thrown away, to its end; left
  /// out, a small memset. Throws `CuptiError` where counters may not be read.
  CounterSession(CUcontext context, const std::string& chip, std::vector<std::string> metrics,
                 std::size_t batch, std::function<void()> throwaway = {});
  /// With another profiler that holds `batch` + 1 ranges a pass.
  CounterSession(std::unique_ptr<RangeProfiler> profiler, std::size_t batch, std::function<void()> throwaway);

  /// Opens the first session now, so that a lack of permission shows. Throws `CuptiError`.
  void open();
  /// Counts one launch for `id`: `prepare` runs before it outside the range, `launch` inside, both to their
  /// end. With several passes both are kept, and called again before `close` (which this calls once the batch
  /// is full) returns: they must own what they use, and bring back whatever later configurations changed.
  /// `expected_ns`: the launch's time, to tell a disturbed count by, where it is known.
  /// Throws `CuptiError`, after which the session is of no use. What `prepare` or `launch` throws goes
  /// through and loses this id alone; with several passes it may also be another id's, see `close`.
  void count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch,
             std::optional<double> expected_ns = std::nullopt);
  /// What the launch being counted, or counted last, was seen to take, where that was not known before.
  void expect_of_last(double expected_ns);
  /// Runs the further passes, if any, and reads the open batch. Throws `CuptiError`, and what the launches of
  /// further passes throw; either loses the batch.
  /// `opens_again`: also the passes of a batch without launches; without them the session after it would lack
  /// the counters of its first pass (seen with CUDA 13.0 on an H200).
  void close(bool opens_again = false);
  /// Readings since the last call. `disturbed` where something else than the launch took time inside the
  /// range, of any pass: such a launch is best counted again.
  std::vector<CounterReading> take();
  /// After the context was lost: makes no further calls.
  void abandon();
  /// Ids that were given to `count` and will have no reading, in the order of the loss.
  const std::vector<std::uint64_t>& lost_ids() const { return lost_; }
  std::size_t passes() const { return profiler_->passes(); }

 private:
  /// One launch of the open batch; its range is its place in `slots_`.
  struct Slot {
    std::uint64_t id = 0;
    std::function<void()> prepare;
    std::function<void()> launch;
    std::optional<double> expected_ns;
    std::vector<double> host_ns;  ///< The host's time inside the range, of each pass so far.
    bool failed = false;
  };

  void run_pass_start();
  void run_slot(std::size_t range);
  void replay();
  bool is_replay_long() const;
  bool is_disturbed(const Slot& slot, std::optional<double> range_ns) const;
  void decode();
  void lose_batch();

  std::unique_ptr<RangeProfiler> profiler_;
  std::size_t batch_;
  std::function<void()> throwaway_;
  bool open_ = false;
  bool abandoned_ = false;
  std::vector<Slot> slots_;
  std::vector<CounterReading> readings_;
  std::vector<std::uint64_t> lost_;
};

}  // namespace warptune::profiling::counters
