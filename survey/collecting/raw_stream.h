// The raw stream: what the injected library writes about one process, and what `raw_reader.h` reads. A stream
// is a file of a header and chunks. A chunk is a header and records of one kind. All numbers are little
// endian, and all sizes are multiples of eight bytes. Times are in nanoseconds of CLOCK_MONOTONIC. A stream
// may end within a chunk, because its process may have been killed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "survey/collecting/counting/counting_plan.h"

namespace warptune::survey::collecting {

constexpr std::array<char, 8> kRawMagic{'W', 'T', 'S', 'U', 'R', 'V', 'E', 'Y'};
constexpr std::uint32_t kRawVersion = 1;
/// The names of streams: `PID-COUNTER.raw`, and beside it `PID-COUNTER.totals`, a stream that is replaced
/// whole and has only `kCounts` and `kTotals`.
constexpr const char* kRawSuffix = ".raw";
constexpr const char* kTotalsSuffix = ".totals";

/// The beginning of a stream.
struct RawHeader {
  std::array<char, 8> magic = kRawMagic;
  std::uint32_t version = kRawVersion;
  std::uint32_t size = 0;  ///< The size of this header.
  std::int64_t pid = 0;
  std::uint64_t start = 0;  ///< When the process initialised CUDA.
  std::int32_t driver_version = 0;
  std::int32_t cupti_version = 0;
  std::uint64_t checksum = 0;  ///< `raw_checksum` of the members above.
};

/// What a chunk has. The numbers are part of the format.
enum class RawChunk : std::uint32_t {
  kCommand = 1,  ///< Text: the arguments of the process, with a zero byte after each.
  kProblem = 2,  ///< Text: why records are missing, as a sentence.
  kNames = 3,    ///< `RawName`, each with its text, padded to eight bytes.
  kShapes = 4,
  kDevices = 5,
  kContexts = 6,
  kLaunches = 7,
  kCopies = 8,
  kFills = 9,
  kCalls = 10,
  kMarkers = 11,
  kCounts = 12,  ///< One `RawCounts`.
  kTotals = 13,
  kEnd = 14,      ///< One `RawEnd`. Records may follow: more of the program's exit handlers may use CUDA.
  kCounted = 15,  ///< One `RawCounted`, with CUPTI's counter data image after it, padded to eight bytes.
  kCountedTotals = 16,
  kCapturedLaunch = 17,  ///< This and the following kinds are described in captured_stream.h.
  kCapturedBuffer = 18,
  kCapturedPart = 19,
  kCapturedImage = 20,
  kCapturedTotals = 21,
  kCountedGraphs = 22,  ///< Graphs with kernels of the plan. The last ones with a number count.
};

/// The beginning of a chunk. A reader skips chunks whose kind it does not know.
struct RawChunkHeader {
  std::uint32_t kind = 0;
  std::uint32_t count = 0;     ///< Records. For text: bytes without the padding.
  std::uint64_t bytes = 0;     ///< After this header.
  std::uint64_t checksum = 0;  ///< `raw_checksum` of those bytes, plus `kind` and `count`.
};

/// Names have the numbers 0, 1, 2 ... in the order in which they are in the stream. So have shapes.
struct RawName {
  std::uint32_t number = 0;
  std::uint32_t length = 0;
};

struct RawShape {
  std::uint32_t name = 0;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> cluster{};
  std::uint32_t registers = 0;
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
  std::uint32_t local_bytes = 0;

  bool operator==(const RawShape&) const = default;
};

struct RawDevice {
  std::uint32_t number = 0;
  std::uint32_t name = 0;  ///< The number of a name.
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::uint32_t sm_count = 0;
  std::uint32_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_bandwidth_bytes_per_s = 0;
  std::uint32_t max_clock_khz = 0;
  std::uint32_t ecc = 0;
  std::uint32_t mig = 0;
  std::uint32_t max_threads_per_block = 0;
  std::uint32_t max_warps_per_sm = 0;
  std::uint32_t max_blocks_per_sm = 0;
  std::uint32_t registers_per_sm = 0;
  std::uint32_t shared_bytes_per_block = 0;
  std::uint32_t shared_bytes_per_sm = 0;
  std::uint32_t warp_size = 0;
  std::array<std::uint8_t, 16> uuid{};
};

struct RawContext {
  std::uint32_t context = 0;
  std::uint32_t device = 0;
  std::uint32_t default_stream = 0;
  std::uint32_t reserved = 0;
};

/// What all activity of a GPU has in common.
struct RawActivity {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  /// A launch has the number of its shape here, a copy the correlation of the runtime's call, and a fill the
  /// CUpti_ActivityMemoryKind of its destination.
  std::uint32_t detail = 0;
};

struct RawLaunch {
  RawActivity activity;
};

struct RawCopy {
  RawActivity activity;
  std::uint64_t bytes = 0;
  std::uint8_t kind = 0;         ///< CUpti_ActivityMemcpyKind
  std::uint8_t source = 0;       ///< CUpti_ActivityMemoryKind, as is `destination`.
  std::uint8_t destination = 0;  ///< ...
  std::uint8_t asynchronous = 0;
  std::uint32_t reserved = 0;
};

struct RawFill {
  RawActivity activity;
  std::uint64_t bytes = 0;
};

/// What a call of the CUDA API is for, as `records::CallKind`. The numbers are part of the format.
enum class CallPurpose : std::uint32_t {
  kLaunch,
  kGraphLaunch,
  kCopy,
  kFill,
  kWait,
  kAllocation,
  kFree,
  kHostAllocation,
  kModuleLoad,
  kOther
};

struct RawCall {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
  std::uint32_t name = 0;  ///< The number of a name.
  CallPurpose purpose = CallPurpose::kOther;
};

/// The beginning or the end of an NVTX range. Both have the same `range`.
struct RawMarker {
  std::uint64_t time = 0;
  std::uint32_t range = 0;
  std::uint32_t is_end = 0;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;  ///< The number of a name. An end has none.
};

struct RawCounts {
  std::uint64_t time = 0;
  std::uint64_t dropped = 0;    ///< Records that CUPTI lost.
  std::uint64_t left_out = 0;   ///< Records beyond the limit.
  std::uint64_t unwritten = 0;  ///< Records that could not be written into the file.
  /// Buffers that CUPTI did not return at the end. There are some if another profiler registered its own
  /// callbacks while CUPTI was filling them. A profiler that does so between two buffers is not seen here.
  std::uint64_t unreturned = 0;
  std::uint64_t unnamed = 0;  ///< Records without a number for their name or their shape.
};

/// The launches of one shape beyond the limit.
struct RawTotal {
  std::uint32_t shape = 0;
  std::uint32_t reserved = 0;
  std::uint64_t count = 0;
  std::uint64_t duration = 0;
};

struct RawEnd {
  RawCounts counts;
};

/// `RawCounted::kernel` of the graph 0. Those of other graphs follow.
constexpr std::uint32_t kFirstGraph = 0x1000'0000;

/// A launch whose hardware counters were read (counting_plan.h). Its counters are in the image after it.
struct RawCounted {
  std::uint32_t kernel = 0;  ///< The number of a kernel of the plan, or `kFirstGraph` and that of a graph.
  std::uint32_t config = 0;  ///< The number of a configuration of the plan.
  std::array<std::uint8_t, 16> uuid{};
  std::uint64_t image_bytes = 0;  ///< Without the padding.
};

/// What became of the launches of one kernel of the plan.
struct RawCountedTotals {
  std::uint32_t kernel = 0;
  std::uint32_t counted = 0;
  std::uint64_t launches = 0;  ///< Those with the planned geometry.
  std::uint64_t captured = 0;  ///< Those of them that became nodes of graphs, or came during a capture.
  std::uint64_t mixed = 0;     ///< Those that were counted together with others, so their counters are lost.
  std::uint64_t others = 0;    ///< Launches of this kernel with another geometry.
};

/// Executable CUDA graphs of the process with the same kernels of the plan, and what became of their
/// launches.
struct RawCountedGraph {
  std::uint32_t number = 0;
  std::uint32_t kernel_nodes = 0;
  std::uint32_t other_nodes = 0;  ///< Copies, fills and other nodes.
  std::uint32_t counted = 0;  ///< Launches of which all counters were read. Each took a launch for each pass.
  std::uint64_t launches = 0;  ///< That could have been counted.
  std::uint32_t mixed = 0;     ///< How often counters were lost, because other work ran beside the graph.
  std::uint32_t has_collectives = 0;  ///< Some of its kernels wait for other GPUs, so it is never counted.
  std::uint32_t given_up = 0;         ///< How often counters were lost, because its next launch did not come.
  std::uint32_t reserved = 0;
  std::uint64_t content = 0;  ///< A hash of the kernels, grids and blocks of all nodes.
  /// How many of the kernel nodes are launches of each kernel of the plan, with its geometry.
  std::array<std::uint32_t, counting::kMaxPlannedKernels> nodes{};
};

static_assert(sizeof(RawHeader) == 48 && sizeof(RawChunkHeader) == 24 && sizeof(RawShape) == 56);
static_assert(sizeof(RawDevice) == 96 && sizeof(RawLaunch) == 40 && sizeof(RawCopy) == 56);
static_assert(sizeof(RawCounted) == 32 && sizeof(RawCountedTotals) == 40);
static_assert(sizeof(RawCountedGraph) == 48 + 4 * counting::kMaxPlannedKernels);
static_assert(sizeof(RawFill) == 48 && sizeof(RawCall) == 32 && sizeof(RawMarker) == 24);

/// A checksum against damage, not against forgery. `bytes` is a multiple of eight.
inline std::uint64_t raw_checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
  constexpr std::uint64_t kMultiplier = 0x9E37'79B9'7F4A'7C15U;  // The golden ratio, as in Fibonacci hashing.
  std::uint64_t sum = seed ^ kMultiplier;
  const char* at = static_cast<const char*>(data);
  for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes; i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, sizeof(word));
    sum = (sum ^ word) * kMultiplier;
    sum ^= sum >> 29U;
  }
  return sum;
}

/// The seed of a chunk's checksum.
inline std::uint64_t raw_seed(std::uint32_t kind, std::uint32_t count) {
  return std::uint64_t{kind} << 32U | count;
}

/// The size of a text with its padding.
constexpr std::size_t raw_padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace warptune::survey::collecting
