#include "survey/collecting/raw_process.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace warptune::survey::collecting {

namespace {

constexpr const char* kDamaged =
    "A part of what this process wrote is damaged, so records after it are missing.";

template <class Record>
Record read_record(std::string_view bytes) {
  Record record;
  std::memcpy(&record, bytes.data(), sizeof(record));
  return record;
}

std::optional<RawHeader> read_header(std::string_view bytes) {
  if (bytes.size() < sizeof(RawHeader)) return std::nullopt;
  const auto header = read_record<RawHeader>(bytes);
  if (header.magic != kRawMagic || header.version != kRawVersion || header.size != sizeof(RawHeader))
    return std::nullopt;
  if (header.checksum != raw_checksum(bytes.data(), offsetof(RawHeader, checksum), 0)) return std::nullopt;
  return header;
}

// The sum of all totals of a process. A sum of several processes does not overflow.
constexpr std::uint64_t kLargestTotal = std::uint64_t{1} << 56U;

struct Chunk {
  RawChunkHeader header;
  std::string_view content;
};

// What comes next in a stream. `chunk` is absent at the end and where the last chunk is cut off.
struct NextChunk {
  std::optional<Chunk> chunk;
  bool damaged = false;
};

NextChunk take_chunk(std::string_view& bytes) {
  if (bytes.size() < sizeof(RawChunkHeader)) return {};
  const auto header = read_record<RawChunkHeader>(bytes);
  const std::string_view rest = bytes.substr(sizeof(header));
  if (header.bytes % 8 != 0) return {std::nullopt, true};
  if (header.bytes > rest.size()) return {};
  const std::string_view content = rest.substr(0, header.bytes);
  if (header.checksum != raw_checksum(content.data(), content.size(), raw_seed(header.kind, header.count)))
    return {std::nullopt, true};
  bytes = rest.substr(header.bytes);
  return {Chunk{header, content}, false};
}

template <class Record>
bool append(std::vector<Record>& records, const Chunk& chunk) {
  if (chunk.content.size() != std::uint64_t{chunk.header.count} * sizeof(Record)) return false;
  const std::size_t before = records.size();
  records.resize(before + chunk.header.count);
  if (!chunk.content.empty()) std::memcpy(&records[before], chunk.content.data(), chunk.content.size());
  return true;
}

bool append_names(std::vector<std::string>& names, const Chunk& chunk) {
  std::string_view rest = chunk.content;
  for (std::uint32_t i = 0; i < chunk.header.count; ++i) {
    if (rest.size() < sizeof(RawName)) return false;
    const auto name = read_record<RawName>(rest);
    rest.remove_prefix(sizeof(RawName));
    if (name.number != names.size() || raw_padded(name.length) > rest.size()) return false;
    names.emplace_back(rest.substr(0, name.length));
    rest.remove_prefix(raw_padded(name.length));
  }
  return rest.empty();
}

bool read_text(std::string& text, const Chunk& chunk) {
  if (chunk.header.count > chunk.content.size()) return false;
  text = chunk.content.substr(0, chunk.header.count);
  return true;
}

// Whether the members of records from `first` on are possible.
template <class Record, class IsPossible>
bool all_from(const std::vector<Record>& records, std::size_t first, const IsPossible& is_possible) {
  return std::all_of(records.begin() + static_cast<std::ptrdiff_t>(first), records.end(), is_possible);
}

template <class Record, class IsPossible>
bool append_checked(std::vector<Record>& records, const Chunk& chunk, const IsPossible& is_possible) {
  const std::size_t before = records.size();
  if (append(records, chunk) && all_from(records, before, is_possible)) return true;
  records.resize(std::min(before, records.size()));
  return false;
}

bool is_interval(std::uint64_t start, std::uint64_t end) {
  return start <= end && end <= std::uint64_t{1} << 62U;
}

template <class Record>
bool has_times(const Record& record) {
  return is_interval(record.activity.start, record.activity.end);
}

bool add_end(RawProcess& process, const Chunk& chunk) {
  std::vector<RawEnd> ends;
  if (!append(ends, chunk) || ends.size() != 1) return false;
  process.counts = ends.front().counts;
  process.ended = true;
  return true;
}

bool add_counted(RawProcess& process, const Chunk& chunk) {
  if (chunk.content.size() < sizeof(RawCounted)) return false;
  RawCountedLaunch launch;
  launch.record = read_record<RawCounted>(chunk.content);
  const std::string_view image = chunk.content.substr(sizeof(RawCounted));
  if (launch.record.image_bytes > image.size()) return false;
  launch.image.assign(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(launch.record.image_bytes));
  process.counted.push_back(std::move(launch));
  return true;
}

// The last description of a graph counts.
bool add_counted_graphs(RawProcess& process, const Chunk& chunk) {
  std::vector<RawCountedGraph> graphs;
  if (!append(graphs, chunk)) return false;
  for (const RawCountedGraph& graph : graphs) {
    const auto place = std::lower_bound(
        process.counted_graphs.begin(), process.counted_graphs.end(), graph,
        [](const RawCountedGraph& one, const RawCountedGraph& other) { return one.number < other.number; });
    if (place != process.counted_graphs.end() && place->number == graph.number)
      *place = graph;
    else
      process.counted_graphs.insert(place, graph);
  }
  return true;
}

bool add_chunk(RawProcess& process, const Chunk& chunk) {
  switch (static_cast<RawChunk>(chunk.header.kind)) {
    case RawChunk::kCommand:
      return read_text(process.command, chunk);
    case RawChunk::kProblem:
      return read_text(process.problem, chunk);
    case RawChunk::kNames:
      return append_names(process.names, chunk);
    case RawChunk::kShapes:
      return append_checked(process.shapes, chunk,
                            [&](const RawShape& shape) { return shape.name < process.names.size(); });
    case RawChunk::kDevices:
      return append_checked(process.devices, chunk,
                            [&](const RawDevice& device) { return device.name < process.names.size(); });
    case RawChunk::kContexts:
      return append(process.contexts, chunk);
    case RawChunk::kLaunches:
      return append_checked(process.launches, chunk, [&](const RawLaunch& launch) {
        return has_times(launch) && launch.activity.detail < process.shapes.size();
      });
    case RawChunk::kCopies:
      return append_checked(process.copies, chunk, has_times<RawCopy>);
    case RawChunk::kFills:
      return append_checked(process.fills, chunk, has_times<RawFill>);
    case RawChunk::kCalls:
      return append_checked(process.calls, chunk, [&](const RawCall& call) {
        return is_interval(call.start, call.end) && call.name < process.names.size() &&
               call.purpose <= CallPurpose::kOther;
      });
    case RawChunk::kMarkers:
      return append_checked(process.markers, chunk, [&](const RawMarker& marker) {
        return is_interval(marker.time, marker.time) &&
               (marker.is_end != 0 || marker.name < process.names.size());
      });
    case RawChunk::kEnd:
      return add_end(process, chunk);
    case RawChunk::kCounted:
      return add_counted(process, chunk);
    case RawChunk::kCountedTotals:
      process.counted_totals.clear();  // The last ones count.
      return append(process.counted_totals, chunk);
    case RawChunk::kCountedGraphs:
      return add_counted_graphs(process, chunk);
    case RawChunk::kCapturedLaunch:
    case RawChunk::kCapturedBuffer:
    case RawChunk::kCapturedPart:
    case RawChunk::kCapturedImage:
    case RawChunk::kCapturedTotals:
      return capturing::add_captured(process.capture, static_cast<RawChunk>(chunk.header.kind),
                                     chunk.content);
    case RawChunk::kCounts:
    case RawChunk::kTotals:
      return true;  // They are in the stream of totals.
  }
  return true;  // A kind that a later version added.
}

}  // namespace

std::optional<RawProcess> read_raw_process(std::string_view bytes) {
  const std::optional<RawHeader> header = read_header(bytes);
  if (!header) return std::nullopt;
  RawProcess process;
  process.header = *header;
  bytes.remove_prefix(sizeof(RawHeader));
  while (true) {
    const NextChunk next = take_chunk(bytes);
    const bool damaged = next.damaged || (next.chunk && !add_chunk(process, *next.chunk));
    if (damaged) process.problem = kDamaged;
    if (damaged || !next.chunk) return process;
  }
}

void add_raw_totals(RawProcess& process, std::string_view bytes) {
  const std::optional<RawHeader> header = read_header(bytes);
  if (!header || header->pid != process.header.pid) return;
  bytes.remove_prefix(sizeof(RawHeader));
  std::vector<RawCounts> counts;
  std::vector<RawTotal> totals;
  while (const std::optional<Chunk> chunk = take_chunk(bytes).chunk) {
    const auto kind = static_cast<RawChunk>(chunk->header.kind);
    if (kind == RawChunk::kCounts && !append(counts, *chunk)) return;
    if (kind == RawChunk::kTotals && !append(totals, *chunk)) return;
  }
  if (counts.size() != 1) return;
  if (!process.ended) process.counts = counts.front();
  RawTotal sum;
  std::erase_if(totals, [&](const RawTotal& total) {
    if (total.count == 0 || total.shape >= process.shapes.size() || total.count > kLargestTotal - sum.count ||
        total.duration > kLargestTotal - sum.duration)
      return true;
    sum.count += total.count;
    sum.duration += total.duration;
    return false;
  });
  process.totals = std::move(totals);
}

}  // namespace warptune::survey::collecting
