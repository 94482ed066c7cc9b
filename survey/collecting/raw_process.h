// What one raw stream says, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "survey/collecting/capturing/raw_capture.h"
#include "survey/collecting/raw_stream.h"

namespace warptune::survey::collecting {

/// A counted launch with CUPTI's counter data image.
struct RawCountedLaunch {
  RawCounted record;
  std::vector<std::uint8_t> image;
};

/// The records of one stream. Every number of a name or shape in them is within its table, except that of a
/// range's end. Every start is at most its end.
struct RawProcess {
  RawHeader header;
  std::string command;  ///< With a zero byte after each argument.
  std::string problem;  ///< The program's own sentence, or what is wrong with the stream.
  std::vector<std::string> names;
  std::vector<RawShape> shapes;
  std::vector<RawDevice> devices;
  std::vector<RawContext> contexts;
  std::vector<RawLaunch> launches;
  std::vector<RawCopy> copies;
  std::vector<RawFill> fills;
  std::vector<RawCall> calls;
  std::vector<RawMarker> markers;
  std::vector<RawTotal> totals;
  std::vector<RawCountedLaunch> counted;
  std::vector<RawCountedTotals> counted_totals;
  std::vector<RawCountedGraph> counted_graphs;  ///< In the order of their numbers.
  capturing::RawCapture capture;
  RawCounts counts;
  bool ended = false;  ///< The process ended by its exit handlers, and all records are here.
};

/// Reads a stream. A last chunk that is cut off is left out. Reading stops at the first chunk that is
/// damaged, and `problem` says so. Returns std::nullopt if the header is not that of a stream, or of a newer
/// version.
std::optional<RawProcess> read_raw_process(std::string_view bytes);

/// Takes counts and totals from the stream beside a process's stream. One that is damaged is ignored.
void add_raw_totals(RawProcess& process, std::string_view bytes);

}  // namespace warptune::survey::collecting
