#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiling/counters/counter_image.h"
#include "profiling/counters/metric_planner.h"

namespace warptune::profiling::counters {

/// A profiler that counts user ranges in passes. The calls are `begin`; then for each pass `start`, the same
/// ranges, `stop`; then `decode`. It is an interface, so that its users can be tested without a GPU.
class RangeProfiler {
 public:
  RangeProfiler() = default;
  virtual ~RangeProfiler() = default;
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// The number of passes that the metrics take.
  virtual std::size_t passes() const = 0;
  /// Whether one of several passes runs code that the profiler has patched (`smsp__sass_...`). Launches in
  /// that pass take milliseconds, as seen on an H200 with CUDA 13.0.
  virtual bool patches_code() const { return false; }
  /// Forgets the counts of earlier ranges.
  virtual void begin() = 0;
  /// Begins a pass.
  virtual void start() = 0;
  /// Ends a pass. Returns true after the last one.
  virtual bool stop() = 0;
  /// Begins and ends a range of the pass.
  virtual void push(std::size_t range) = 0;
  virtual void pop() = 0;
  /// Returns the counts of all ranges after the last pass.
  virtual std::vector<RangeCounts> decode() = 0;
  /// Must be called after the context was lost. After it, the object makes no calls of the profiler, not even
  /// to release resources.
  virtual void abandon() = 0;
};

/// Makes the queries to CUPTI's host library that the constructor of `CuptiRangeProfiler` makes. Their
/// answers are kept until the process ends, so a later constructor is fast. Throws `CuptiError`.
void plan_range_profiler(const std::string& chip, const std::vector<std::string>& metrics);

/// CUPTI's range profiler on one context, with user ranges and user replay. Every call throws `CuptiError`.
class CuptiRangeProfiler : public RangeProfiler {
 public:
  /// `metrics` must be known to the chip. `max_ranges` is the number of ranges that a pass can hold. Also
  /// counts `gpu__time_duration.sum` if that takes no further pass.
  CuptiRangeProfiler(CUcontext context, const std::string& chip, std::vector<std::string> metrics,
                     std::size_t max_ranges);
  ~CuptiRangeProfiler() override;

  std::size_t passes() const override { return passes_; }
  bool patches_code() const override;
  void begin() override;
  void start() override;
  bool stop() override;
  void push(std::size_t range) override;
  void pop() override;
  std::vector<RangeCounts> decode() override;
  void abandon() override { abandoned_ = true; }

 private:
  ProfilerHost host_;
  std::vector<std::string> metrics_;  ///< The metrics that are counted.
  /// Whether the duration was not asked for. It is counted, but not part of `RangeCounts::counters`.
  bool hides_duration_ = false;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
  std::size_t max_ranges_;
  std::vector<std::uint8_t> image_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  bool started_ = false;
  bool abandoned_ = false;
};

}  // namespace warptune::profiling::counters
