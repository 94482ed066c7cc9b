#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "profiling/counters/metric_planner.h"

namespace warptune::profiling::counters {

/// What was counted in one range of a session.
struct RangeCounts {
  std::size_t range = 0;     ///< As pushed.
  model::Counters counters;  ///< Of the metrics asked for.
  std::optional<double>
      duration_ns;  ///< The range's length on the GPU, where it could be counted beside them.
};

/// A profiler that counts user ranges in passes: `begin`; then for each pass `start`, the same ranges,
/// `stop`; then `decode`. An interface, so that what rests on it can be tested with no GPU.
class RangeProfiler {
 public:
  RangeProfiler() = default;
  virtual ~RangeProfiler() = default;
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Passes that the metrics take.
  virtual std::size_t passes() const = 0;
  /// Whether one of several passes runs patched code (`smsp__sass_...`): its launches take milliseconds, seen
  /// on an H200 with CUDA 13.0.
  virtual bool patches_code() const { return false; }
  /// Forgets what was counted before.
  virtual void begin() = 0;
  virtual void start() = 0;
  /// Ends a pass; true after the last.
  virtual bool stop() = 0;
  virtual void push(std::size_t range) = 0;
  virtual void pop() = 0;
  virtual std::vector<RangeCounts> decode() = 0;
  /// After the context was lost: no further calls, not even to tidy up.
  virtual void abandon() = 0;
};

/// Finds out what `CuptiRangeProfiler` asks of CUPTI's host library, which is kept for the process. Throws
/// `CuptiError`.
void plan_range_profiler(const std::string& chip, const std::vector<std::string>& metrics);

/// CUPTI's range profiler on one context, with user ranges and user replay. Every call throws `CuptiError`.
class CuptiRangeProfiler : public RangeProfiler {
 public:
  /// `metrics` must be known to the chip. `max_ranges`: that a pass can hold. Counts
  /// `gpu__time_duration.sum` too where that takes no further pass.
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
  RangeCounts evaluate(std::size_t position);
  std::size_t range_at(std::size_t position);

  ProfilerHost host_;
  std::vector<std::string> metrics_;  ///< As counted.
  bool hides_duration_ = false;       ///< The duration is counted without having been asked for.
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
  std::size_t max_ranges_;
  std::vector<std::uint8_t> image_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  bool started_ = false;
  bool abandoned_ = false;
};

}  // namespace warptune::profiling::counters
