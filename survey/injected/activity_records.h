// From CUPTI's activity records to those of the raw stream.
#pragma once

#include <cupti_activity.h>

#include <cstdint>

#include "survey/injected/raw_writer.h"
#include "survey/injected/tracing.h"

namespace warptune::survey::injected {

/// The part of the time in which records are kept, in nanoseconds of CLOCK_MONOTONIC. `stop` is 0 if it has
/// no end.
struct Window {
  std::uint64_t start = 0;
  std::uint64_t stop = 0;

  bool overlaps(std::uint64_t from, std::uint64_t to) const {
    return to >= start && (stop == 0 || from < stop);
  }
};

/// Gives a record to the writer. Records without times are counted as dropped.
void add_activity(const CUpti_Activity& record, const Window& window, Tracing& tracing, RawWriter& writer);

}  // namespace warptune::survey::injected
