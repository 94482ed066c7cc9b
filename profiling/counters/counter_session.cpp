// Counts a batch of launches in one session of CUPTI's range profiler, with user replay (CUPTI documentation,
// "Range Profiling API").
//
// The states are closed, open and abandoned. `count` opens a closed session and runs the first pass of its
// launch. When the batch is full, or its replay would take too long, `close` ends the pass. If more passes
// remain, it replays all launches of the batch in each of them. Then it decodes the ranges and assigns their
// counters to the ids. A failure of the profiler loses the batch. A failure of one launch loses only this
// launch. Its range stays and is empty, because every pass must have the same ranges. After the context was
// lost, the session is abandoned and makes no calls of CUPTI any more.
//
// A range may contain more than its launch, for example work of another process on the GPU. Such a range is
// longer than the launch, whose time is known from timing it without the profiler. Then the counters that
// depend on elapsed time are dropped, and the launch should be counted again.
#include "profiling/counters/counter_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "model/measurement.h"
#include "profiling/counters/counter_image.h"
#include "profiling/counters/derived_metrics.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::counters {

namespace {

std::function<void()> small_memset() {
  constexpr std::size_t kBytes = 65536;
  struct Target {
    driver::Stream stream = driver::make_stream();
    driver::DeviceMemory memory = driver::allocate(kBytes, "the profiler's first range");
  };
  return [target = std::make_shared<Target>()] {
    WARPTUNE_CUDA(cuMemsetD8Async(target->memory.get(), 0, kBytes, target->stream.get()));
    WARPTUNE_CUDA(cuStreamSynchronize(target->stream.get()));
  };
}

/// Returns whether the length of a range shows that more than its launch ran in it. `model` has the rule,
/// because stored counters are checked by the same one.
bool is_too_long(double range_ns, std::optional<double> expected_ns) {
  if (!expected_ns) return false;
  model::Counters length = {{kDurationMetric, range_ns}};
  return model::drop_disturbed_counters(length, *expected_ns);
}

}  // namespace

CounterSession::CounterSession(CUcontext context, const std::string& chip, std::vector<std::string> metrics,
                               std::size_t batch, std::function<void()> warm_up)
    : CounterSession(std::make_unique<CuptiRangeProfiler>(context, chip, std::move(metrics), batch + 1),
                     batch, warm_up ? std::move(warm_up) : small_memset()) {}

CounterSession::CounterSession(std::unique_ptr<RangeProfiler> profiler, std::size_t batch,
                               std::function<void()> warm_up)
    : profiler_(std::move(profiler)), batch_(batch), throwaway_(std::move(warm_up)) {}

void CounterSession::run_pass_start() {
  profiler_->start();
  profiler_->push(batch_);
  throwaway_();
  profiler_->pop();
}

void CounterSession::open() {
  if (open_ || abandoned_) return;
  profiler_->begin();
  run_pass_start();
  open_ = true;
}

void CounterSession::run_slot(std::size_t range) {
  Slot& slot = slots_[range];
  if (!slot.failed) slot.prepare();
  // A failed launch has its range, too, because every pass must have the same ranges.
  profiler_->push(range);
  const auto started = std::chrono::steady_clock::now();
  try {
    if (!slot.failed) slot.launch();
  } catch (...) {
    slot.failed = true;
    try {
      profiler_->pop();
    } catch (const base::MachineError&) {  // The exception of the launch says more.
    }
    throw;
  }
  const std::chrono::duration<double, std::nano> inside = std::chrono::steady_clock::now() - started;
  slot.host_ns.push_back(inside.count());
  profiler_->pop();
}

void CounterSession::count(std::uint64_t id, std::function<void()> prepare, std::function<void()> launch,
                           std::optional<double> expected_ns, bool is_graph) {
  if (abandoned_) {
    lost_.push_back(id);
    return;
  }
  Slot slot;
  slot.id = id;
  slot.prepare = std::move(prepare);
  slot.launch = std::move(launch);
  slot.expected_ns = expected_ns;
  slot.is_graph = is_graph;
  slots_.push_back(std::move(slot));
  try {
    open();
    run_slot(slots_.size() - 1);
  } catch (const CuptiError&) {
    drop_batch();
    throw;
  } catch (...) {
    slots_.back().failed = true;
    slots_.back().prepare = slots_.back().launch = nullptr;
    throw;
  }
  if (passes() <= 1) slots_.back().prepare = slots_.back().launch = nullptr;
  if (slots_.size() == batch_ || is_replay_long()) close();
}

// Further passes launch the whole batch again, and an evaluation waits for that. If it takes long, `count`
// closes the batch before it is full.
bool CounterSession::is_replay_long() const {
  constexpr double kMaxNs = 2e9;
  double batch_ns = 0.0;
  for (const Slot& slot : slots_) batch_ns += slot.host_ns.empty() ? 0.0 : slot.host_ns.front();
  return passes() > 1 && batch_ns * static_cast<double>(passes() - 1) > kMaxNs;
}

void CounterSession::set_expected_time_of_last(double expected_ns) {
  if (!slots_.empty() && expected_ns > 0.0) slots_.back().expected_ns = expected_ns;
}

void CounterSession::replay() {
  run_pass_start();
  for (std::size_t range = 0; range < slots_.size(); ++range) run_slot(range);
}

void CounterSession::close(bool opens_again) {
  if (!open_ || abandoned_) return;
  open_ = false;
  try {
    while (!profiler_->stop() && (opens_again || !slots_.empty())) replay();
    if (!slots_.empty()) decode();
  } catch (...) {
    drop_batch();
    throw;
  }
}

// The GPU measures the time of one pass only. The host measures each pass; its time is about 15 us longer
// than the launch. One pass may run code that the profiler has patched to count instructions, which takes
// milliseconds. This longest pass is left out, because its counters do not depend on time.
bool CounterSession::is_disturbed(const Slot& slot, std::optional<double> range_ns) const {
  std::vector<double> host_ns = slot.host_ns;
  std::sort(host_ns.begin(), host_ns.end());
  if (profiler_->patches_code() && host_ns.size() > 1) host_ns.pop_back();
  bool disturbed = range_ns && is_too_long(*range_ns, slot.expected_ns);
  if ((!range_ns || passes() > 1) && !host_ns.empty())
    disturbed |= is_too_long(host_ns.back(), slot.expected_ns);
  base::log_debug(fmt::format("counted {}: launch {:.0f} ns, range {:.0f} ns, by the host {:.0f} ns{}",
                              slot.id, slot.expected_ns.value_or(0.0), range_ns.value_or(0.0),
                              fmt::join(slot.host_ns, ", "), disturbed ? ", disturbed" : ""));
  return disturbed;
}

void CounterSession::decode() {
  std::vector<RangeCounts> counts = profiler_->decode();
  std::vector<bool> has_reading(slots_.size(), false);
  for (RangeCounts& range : counts) {
    if (range.range >= slots_.size() || slots_[range.range].failed) continue;
    const Slot& slot = slots_[range.range];
    const bool disturbed = is_disturbed(slot, range.duration_ns);
    if (disturbed) {
      model::drop_elapsed(range.counters);
    } else if (range.duration_ns) {
      scale_to_launch_time(range.counters, *range.duration_ns, slot.expected_ns);
    }
    if (slot.is_graph) model::drop_patched_counters(range.counters);
    add_derived_metrics(range.counters);
    readings_.push_back({slot.id, std::move(range.counters), disturbed});
    has_reading[range.range] = true;
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!has_reading[i]) lost_.push_back(slots_[i].id);
  }
  slots_.clear();
}

void CounterSession::drop_batch() {
  for (const Slot& slot : slots_) lost_.push_back(slot.id);
  slots_.clear();
  open_ = false;
}

std::vector<CounterReading> CounterSession::take() {
  std::vector<CounterReading> taken;
  taken.swap(readings_);
  return taken;
}

void CounterSession::abandon() {
  if (abandoned_) return;
  abandoned_ = true;
  profiler_->abandon();
  drop_batch();
}

}  // namespace warptune::profiling::counters
