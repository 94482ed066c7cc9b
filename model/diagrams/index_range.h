// A range of steps, and bisection within it.
#pragma once

#include <cstdint>

namespace warptune::model::diagrams {

/// The positions [begin, end) in `LevelPlan::steps` (level_plan.h): a range of the values that a level tries.
struct IndexRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool empty() const { return begin >= end; }
  bool contains(std::uint32_t step) const { return begin <= step && step < end; }
};

/// Returns the first step of a range for which `from_here` holds, or the range's end. If `from_here` holds
/// for a step, it must hold for all later ones.
template <class F>
std::uint32_t first_step(IndexRange range, const F& from_here) {
  while (!range.empty()) {
    const std::uint32_t middle = range.begin + (range.end - range.begin) / 2;
    if (from_here(middle)) {
      range.end = middle;
    } else {
      range.begin = middle + 1;
    }
  }
  return range.begin;
}

}  // namespace warptune::model::diagrams
