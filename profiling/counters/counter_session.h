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

/// Counts launches in profiler sessions. A range is the part of the program whose events the profiler counts
/// together; here it is one launch. A session stays open over a batch of launches, because opening and
/// closing it costs far more than a range (docs/design.md, "Facts measured").
///
/// The first pass runs when `count` is called. If the metrics take several passes, the further passes run
/// over the whole batch when it closes. So each pass is opened and closed once for each batch. The counts of
/// the first range of each pass are thrown away, because they contain work that the profiler does only once.
class CounterSession {
 public:
  /// `metrics` must be known to the chip. `warm_up` runs in the range that is thrown away, and must wait
  /// for its own work. By default it is a small memset. Throws `CuptiError` when counters may not be read.
  CounterSession(CUcontext context, const std::string& chip, std::vector<std::string> metrics,
                 std::size_t batch, std::function<void()> warm_up = {});
  /// Uses another profiler, which must hold `batch` + 1 ranges for each pass.
  CounterSession(std::unique_ptr<RangeProfiler> profiler, std::size_t batch, std::function<void()> warm_up);

  /// Opens the first session now, so that missing permission is reported early. Throws `CuptiError`.
  void open();
  /// Counts one launch. Its reading will have this `id`. `prepare` runs before the range, `launch` in it.
  /// Both must wait for their own work.
  ///
  /// With several passes both functions are kept, and called again before `close` returns. `count` itself
  /// calls `close` when the batch is full. Therefore both must own what they use, and restore what later
  /// configurations changed. `expected_ns` is the time of the launch, if it is known. A range that is much
  /// longer was disturbed. A launch that `is_graph` gets no metrics that need patched code.
  ///
  /// Throws `CuptiError`, after which the session cannot be used any more. Also passes on what `prepare` or
  /// `launch` throws: then only this id is lost. With several passes the failing launch may also belong to
  /// another id, see `close`.
  void count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch,
             std::optional<double> expected_ns = std::nullopt, bool is_graph = false);
  /// Sets the measured time of the launch that is being counted or was counted last, if it was not known
  /// before.
  void set_expected_time_of_last(double expected_ns);
  /// Runs the further passes, if any, and reads the open batch. Throws `CuptiError`, and passes on what the
  /// launches of further passes throw. Both lose the batch. `opens_again` must be set if `count` will be
  /// called again: then all passes are run even if the batch has no launch. Without them the next session
  /// would lack the counters of its first pass (seen with CUDA 13.0 on an H200).
  void close(bool opens_again = false);
  /// Returns the readings since the last call. A reading is `disturbed` when something besides the launch
  /// took time inside the range in any pass. Such a launch should be counted again.
  std::vector<CounterReading> take();
  /// Must be called after the context was lost. After it, the object makes no calls of CUPTI.
  void abandon();
  /// The ids that were given to `count` and will have no reading, in the order in which they were lost.
  const std::vector<std::uint64_t>& lost_ids() const { return lost_; }
  std::size_t passes() const { return profiler_->passes(); }

 private:
  /// One launch of the open batch. The number of its range is its index in `slots_`.
  struct Slot {
    std::uint64_t id = 0;
    std::function<void()> prepare;
    std::function<void()> launch;
    std::optional<double> expected_ns;
    bool is_graph = false;
    /// The host's time inside the range, for each pass so far.
    std::vector<double> host_ns;
    bool failed = false;
  };

  void run_pass_start();
  void run_slot(std::size_t range);
  void replay();
  bool is_replay_long() const;
  bool is_disturbed(const Slot& slot, std::optional<double> range_ns) const;
  void decode();
  void drop_batch();

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
