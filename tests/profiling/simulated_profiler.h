#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "profiling/counters/range_profiler.h"

namespace warptune::profiling {

/// What a simulated profiler should do, and what it was asked to do. It outlives the profiler.
struct Simulation {
  std::size_t passes = 1;
  bool patches_code = false;
  bool counts_duration = true;
  /// By range. A missing range lasts 1000 ns.
  std::map<std::size_t, double> duration_ns;
  /// It is missing when the ranges are decoded.
  std::size_t dropped_range = 99;
  /// What each range counts besides its number.
  model::Counters counters;
  /// The number of the stop that throws.
  int fails_at_stop = 0;

  /// "(" for start, ")" for stop, "<0" for a push of range 0, ">" for pop, "." for decode, "!" for abandon.
  std::string log;
  int sessions = 0;
  int stops = 0;
};

class SimulatedProfiler : public counters::RangeProfiler {
 public:
  explicit SimulatedProfiler(Simulation& simulation) : simulation_(simulation) {}

  std::size_t passes() const override { return simulation_.passes; }
  bool patches_code() const override { return simulation_.patches_code; }
  void begin() override {
    ++simulation_.sessions;
    pass_ = 0;
    ranges_.clear();
  }
  void start() override {
    simulation_.log += "(";
    pushed_.clear();
  }
  bool stop() override {
    simulation_.log += ")";
    if (++simulation_.stops == simulation_.fails_at_stop)
      throw counters::CuptiError(CUPTI_ERROR_UNKNOWN, "stop");
    if (pass_ == 0) ranges_ = pushed_;
    EXPECT_EQ(pushed_, ranges_) << "each pass needs the same ranges";
    return ++pass_ == simulation_.passes;
  }
  void push(std::size_t range) override {
    simulation_.log += "<" + std::to_string(range);
    pushed_.push_back(range);
    EXPECT_FALSE(inside_);
    inside_ = true;
  }
  void pop() override {
    simulation_.log += ">";
    EXPECT_TRUE(inside_);
    inside_ = false;
  }
  std::vector<counters::RangeCounts> decode() override {
    simulation_.log += ".";
    EXPECT_EQ(pass_, simulation_.passes) << "decoded before the last pass";
    std::vector<counters::RangeCounts> counts;
    for (const std::size_t range : ranges_) {
      if (range == simulation_.dropped_range) continue;
      counters::RangeCounts one;
      one.range = range;
      one.counters = simulation_.counters;
      one.counters["range"] = static_cast<double>(range);
      const auto named = simulation_.duration_ns.find(range);
      if (simulation_.counts_duration)
        one.duration_ns = named == simulation_.duration_ns.end() ? 1000.0 : named->second;
      counts.push_back(one);
    }
    return counts;
  }
  void abandon() override { simulation_.log += "!"; }

 private:
  Simulation& simulation_;
  std::size_t pass_ = 0;
  bool inside_ = false;
  std::vector<std::size_t> pushed_;
  std::vector<std::size_t> ranges_;
};

}  // namespace warptune::profiling
