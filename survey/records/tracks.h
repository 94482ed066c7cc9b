// Where each record of a survey is drawn. The calls of each thread, the ranges of each thread and the work of
// each stream have a track of their own. If some of these records overlap, they may need several tracks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// What a track shows.
enum class TrackKind { kRanges, kCalls, kStream };

/// One track. Records of one thread or stream that overlap are on several tracks, which differ by `lane`.
struct Track {
  Index process = 0;
  TrackKind kind = TrackKind::kStream;
  std::uint32_t number = 0;  ///< The thread, or the index of the stream.
  std::uint32_t lane = 0;
  bool operator==(const Track&) const = default;
};

/// The tracks of a survey in the order in which they are shown, and the place of each record in `tracks`.
/// A process's threads are before its streams, and the ranges of a thread before its calls.
struct Tracks {
  std::vector<Track> tracks;
  std::vector<Index> launches;
  std::vector<Index> copies;
  std::vector<Index> fills;
  std::vector<Index> calls;
  std::vector<Index> ranges;
};

/// Whether a record of a thread may lie within another of the same track.
enum class Nesting { kAllowed, kForbidden };

/// The most tracks of one thread's calls, of one thread's ranges or of one stream. Further records that
/// overlap are on the last one.
inline constexpr std::uint32_t kMaxLanes = 64;

/// Gives each record a track on which it overlaps no other, except that it may lie within another if
/// `nesting` allows it. Records of streams never lie within others.
Tracks tracks_of(const Survey& survey, Nesting nesting);

/// The name of a track, for example `thread 4001: calls` or `GPU 0, stream 7 (default)`.
std::string name_of(const Survey& survey, const Track& track);

/// The indices of the elements of `rows`, sorted by the start of the rows. If several rows have the same
/// start, the longest comes first.
template <class Row>
std::vector<Index> outer_first(const std::vector<Row>& rows);

}  // namespace warptune::survey::records
