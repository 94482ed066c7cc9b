// Calls within calls: if the runtime calls the driver, both are in the stream, and a survey has the outer
// one.
#pragma once

#include <cstdint>
#include <vector>

#include "survey/collecting/raw_stream.h"

namespace warptune::survey::collecting {

/// The outer calls of a process, and which of them stands for a correlation.
class OuterCalls {
 public:
  /// A call is an inner one if it lies within another call of its thread.
  explicit OuterCalls(std::vector<RawCall> calls);

  /// In the order of their start.
  const std::vector<RawCall>& calls() const { return outer_; }
  /// The place in `calls()` of the outer call that has this correlation, or around the call that has it. -1
  /// if there is none.
  std::int64_t find(std::uint32_t correlation) const;

 private:
  struct Place {
    std::uint32_t correlation = 0;
    std::uint32_t outer = 0;
  };
  std::vector<RawCall> outer_;
  std::vector<Place> places_;  ///< In the order of correlations.
};

}  // namespace warptune::survey::collecting
