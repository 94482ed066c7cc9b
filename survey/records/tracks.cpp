#include "survey/records/tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace warptune::survey::records {

namespace {

// Tracks are shown in the order of this.
auto order_of(const Track& track) {
  return std::tuple(track.process, track.kind == TrackKind::kStream, track.number, track.kind, track.lane);
}

// The records of one thread or stream, so far.
class Lanes {
 public:
  // The first lane on which a record fits. Records come in the order of their start, outer ones first.
  std::uint32_t take(const Interval& time, bool nests) {
    for (std::uint32_t lane = 0; lane < open_.size(); ++lane) {
      std::vector<std::int64_t>& ends = open_[lane];
      while (!ends.empty() && ends.back() <= time.start) ends.pop_back();
      const bool fits = ends.empty() || (nests && time.end <= ends.back());
      if (!fits && lane + 1 < kMaxLanes) continue;
      ends.push_back(time.end);
      return lane;
    }
    open_.push_back({time.end});
    return static_cast<std::uint32_t>(open_.size() - 1);
  }

 private:
  std::vector<std::vector<std::int64_t>> open_;  ///< For each lane, the ends of the records that have begun.
};

// Gives records lanes, and remembers the tracks that they need.
class Assignment {
 public:
  Index take(const Track& track, const Interval& time, bool nests) {
    const std::uint64_t key = std::uint64_t{track.process} << 34U |
                              std::uint64_t{static_cast<std::uint32_t>(track.kind)} << 32U | track.number;
    const auto [lanes, is_new] = lanes_.try_emplace(key);
    Track taken = track;
    taken.lane = lanes->second.lanes.take(time, nests);
    std::vector<Index>& places = lanes->second.places;
    while (places.size() <= taken.lane) {
      places.push_back(static_cast<Index>(tracks_.size()));
      tracks_.push_back(taken);
    }
    return places[taken.lane];
  }

  // Sorts the tracks, and changes the places of the records accordingly.
  void finish(Tracks& tracks) {
    std::vector<Index> order(tracks_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(),
              [&](Index one, Index other) { return order_of(tracks_[one]) < order_of(tracks_[other]); });
    std::vector<Index> moved(order.size());
    for (Index i = 0; i < order.size(); ++i) {
      moved[order[i]] = i;
      tracks.tracks.push_back(tracks_[order[i]]);
    }
    for (std::vector<Index>* places :
         {&tracks.launches, &tracks.copies, &tracks.fills, &tracks.calls, &tracks.ranges})
      for (Index& place : *places) place = moved[place];
  }

 private:
  struct Places {
    Lanes lanes;
    std::vector<Index> places;  ///< The track of each lane.
  };
  std::unordered_map<std::uint64_t, Places> lanes_;
  std::vector<Track> tracks_;
};

template <class Row>
void place_host_rows(const std::vector<Row>& rows, TrackKind kind, bool nests, Assignment& assignment,
                     std::vector<Index>& places) {
  places.resize(rows.size());
  for (const Index i : outer_first(rows))
    places[i] = assignment.take({rows[i].process, kind, rows[i].thread, 0}, rows[i].time, nests);
}

// Launches, copies and fills of one stream share its lanes, so they are taken in the common order.
void place_activities(const Survey& survey, Assignment& assignment, Tracks& tracks) {
  const auto track_of = [&](const Activity& activity) {
    return Track{survey.streams[activity.stream].process, TrackKind::kStream, activity.stream, 0};
  };
  std::size_t launch = 0;
  std::size_t copy = 0;
  std::size_t fill = 0;
  const auto start_of = [](const auto& rows, std::size_t at) {
    return at < rows.size() ? rows[at].time.start : std::numeric_limits<std::int64_t>::max();
  };
  const auto place = [&](const auto& rows, std::size_t& at, std::vector<Index>& places) {
    places.push_back(assignment.take(track_of(rows[at]), rows[at].time, false));
    ++at;
  };
  while (launch < survey.launches.size() || copy < survey.copies.size() || fill < survey.fills.size()) {
    const std::int64_t launched = start_of(survey.launches, launch);
    const std::int64_t copied = start_of(survey.copies, copy);
    const std::int64_t filled = start_of(survey.fills, fill);
    if (launched <= copied && launched <= filled)
      place(survey.launches, launch, tracks.launches);
    else if (copied <= filled)
      place(survey.copies, copy, tracks.copies);
    else
      place(survey.fills, fill, tracks.fills);
  }
}

}  // namespace

template <class Row>
std::vector<Index> outer_first(const std::vector<Row>& rows) {
  std::vector<Index> order(rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto is_before = [&](Index one, Index other) {
    return std::tuple(rows[one].time.start, -rows[one].time.end) <
           std::tuple(rows[other].time.start, -rows[other].time.end);
  };
  if (!std::is_sorted(order.begin(), order.end(), is_before))
    std::stable_sort(order.begin(), order.end(), is_before);
  return order;
}

template std::vector<Index> outer_first(const std::vector<Call>& rows);
template std::vector<Index> outer_first(const std::vector<Range>& rows);

Tracks tracks_of(const Survey& survey, Nesting nesting) {
  Tracks tracks;
  Assignment assignment;
  const bool nests = nesting == Nesting::kAllowed;
  place_host_rows(survey.ranges, TrackKind::kRanges, nests, assignment, tracks.ranges);
  place_host_rows(survey.calls, TrackKind::kCalls, nests, assignment, tracks.calls);
  place_activities(survey, assignment, tracks);
  assignment.finish(tracks);
  return tracks;
}

std::string name_of(const Survey& survey, const Track& track) {
  const std::string lane = track.lane == 0 ? "" : fmt::format(", {}", track.lane + 1);
  switch (track.kind) {
    case TrackKind::kRanges:
      return fmt::format("thread {}: ranges{}", track.number, lane);
    case TrackKind::kCalls:
      return fmt::format("thread {}: calls{}", track.number, lane);
    case TrackKind::kStream:
      break;
  }
  const Stream& stream = survey.streams[track.number];
  return fmt::format("GPU {}, stream {}{}{}", stream.device, stream.number,
                     stream.is_default ? " (default)" : "", lane);
}

}  // namespace warptune::survey::records
