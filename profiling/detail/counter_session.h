#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/detail/metric_planner.h"
#include "profiling/kernel_runner.h"

namespace warptune::profiling::detail {

/// CUPTI's range profiler on one context, with user ranges and user replay.
///
/// A set that takes one pass goes into a session that stays open over a batch of ranges, since starting and
/// stopping costs some 30 ms; a set of several passes repeats the launch in a session of its own.
class CounterSession {
 public:
  /// `metrics` must be known to the chip. Throws `CuptiError` where counters may not be read.
  CounterSession(CUcontext context, const std::string& chip, std::vector<std::string> metrics,
                 std::size_t batch);
  ~CounterSession();
  CounterSession(const CounterSession&) = delete;
  CounterSession& operator=(const CounterSession&) = delete;

  /// Opens the first session now, so that a lack of permission shows. Throws `CuptiError`.
  void open();
  /// Counts one launch for `id`: `prepare` runs before it outside the range, `launch` inside, both to their
  /// end.
  void count(std::uint64_t id, const std::function<void()>& prepare, const std::function<void()>& launch);
  /// Ends the open session, if any, and reads it.
  void close();
  /// Readings since the last call.
  std::vector<CounterReading> take();
  /// After the context was lost: makes no further calls.
  void abandon() { abandoned_ = true; }

 private:
  void make_image();
  void start();
  bool stop();
  void push(std::size_t index);
  void pop();
  void decode();
  search::Counters evaluate(std::size_t range);
  std::size_t range_number(std::size_t range);

  ProfilerHost host_;
  std::vector<std::string> metrics_;
  std::vector<std::uint8_t> config_;
  std::vector<std::uint8_t> image_;
  std::size_t batch_;
  bool one_pass_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  bool open_ = false;
  bool abandoned_ = false;
  std::vector<std::uint64_t>
      pending_;  ///< Ids of the open session's ranges; a range's name is its index here.
  std::vector<CounterReading> readings_;
};

}  // namespace warptune::profiling::detail
