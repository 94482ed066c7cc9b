#include "survey/collecting/call_nesting.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

namespace warptune::survey::collecting {

// In the order of threads, starts, and ends backwards, a call comes after the one around it. Calls of one
// thread do not overlap otherwise, so comparing with the last outer call suffices.
OuterCalls::OuterCalls(std::vector<RawCall> calls) {
  std::sort(calls.begin(), calls.end(), [](const RawCall& a, const RawCall& b) {
    return std::tuple(a.thread, a.start, b.end) < std::tuple(b.thread, b.start, a.end);
  });
  places_.reserve(calls.size());
  for (const RawCall& call : calls) {
    const bool is_inner =
        !outer_.empty() && outer_.back().thread == call.thread && call.end <= outer_.back().end;
    if (!is_inner) outer_.push_back(call);
    places_.push_back({call.correlation, static_cast<std::uint32_t>(outer_.size() - 1)});
  }
  std::vector<std::uint32_t> order(outer_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return outer_[a].start < outer_[b].start; });
  std::vector<std::uint32_t> place_of(outer_.size());
  std::vector<RawCall> sorted;
  sorted.reserve(outer_.size());
  for (const std::uint32_t at : order) {
    place_of[at] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(outer_[at]);
  }
  outer_ = std::move(sorted);
  for (Place& place : places_) place.outer = place_of[place.outer];
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.correlation < b.correlation; });
}

std::int64_t OuterCalls::find(std::uint32_t correlation) const {
  const auto found =
      std::lower_bound(places_.begin(), places_.end(), correlation,
                       [](const Place& place, std::uint32_t wanted) { return place.correlation < wanted; });
  if (correlation == 0 || found == places_.end() || found->correlation != correlation) return -1;
  return found->outer;
}

}  // namespace warptune::survey::collecting
