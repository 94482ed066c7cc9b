// A survey in memory: what a program did on the GPUs of a machine, and what its threads did meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::survey::records {

/// An index into one of a survey's tables.
using Index = std::uint32_t;
/// The index that stands for "none".
constexpr Index kNone = 0xFFFF'FFFF;

/// When something began and ended, in nanoseconds since the survey began. All processes of a survey share one
/// clock, that of `CLOCK_MONOTONIC`. `end` is not before `start`.
struct Interval {
  std::int64_t start = 0;
  std::int64_t end = 0;

  std::int64_t duration() const { return end - start; }
  bool operator==(const Interval&) const = default;
};

/// A GPU that a process used.
struct Device {
  model::GpuDescription gpu;  ///< Members that CUPTI does not know have their defaults.
  std::string uuid;           ///< As `nvidia-smi -L` prints it. It is empty when unknown.
  bool operator==(const Device&) const = default;
};

/// How the survey of a process ended.
enum class ProcessEnd { kExited, kKilled, kStillRunning };

/// A process that initialised CUDA. Another process may have started it.
struct Process {
  std::int64_t pid = 0;
  std::string command;  ///< The arguments, separated by spaces.
  Interval time;        ///< From its first call of CUDA to its last record.
  ProcessEnd end = ProcessEnd::kExited;
  int driver_version = 0;     ///< As `cuDriverGetVersion` returns it, for example 13000.
  int cupti_version = 0;      ///< As `cuptiGetVersion` returns it.
  std::int64_t dropped = 0;   ///< Records that CUPTI says it lost.
  std::int64_t left_out = 0;  ///< Records beyond the survey's limit. They are counted in `Survey::unlisted`.
  std::int64_t unnamed = 0;   ///< Records that are missing, because the tables of names and shapes were full.
  std::string problem;  ///< Why records of this process are missing, as a sentence. It is empty if none are.
  bool operator==(const Process&) const = default;
};

/// A stream of one process on one GPU. Work of one stream runs in the order in which it was given.
struct Stream {
  Index process = 0;
  Index device = 0;
  std::uint32_t context = 0;  ///< CUPTI's number of the context.
  std::uint32_t number = 0;   ///< CUPTI's number of the stream within the process.
  bool is_default = false;    ///< The context's default stream, which waits for other blocking streams.
  bool operator==(const Stream&) const = default;
};

/// What all launches of one kernel with one geometry share.
struct KernelShape {
  Index name = 0;  ///< Into `Survey::names`: the kernel's demangled name.
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t registers = 0;                    ///< Registers of each thread.
  std::uint32_t static_shared = 0;                ///< In bytes, of each block.
  std::uint32_t dynamic_shared = 0;               ///< In bytes, of each block.
  std::uint32_t local_bytes = 0;                  ///< Local memory of each thread, in bytes.
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< Blocks of a cluster. All are 0 if the kernel has none.
  bool operator==(const KernelShape&) const = default;
};

/// What all activity of a GPU has in common.
struct Activity {
  Interval time;
  Index stream = 0;
  Index call =
      kNone;  ///< Into `Survey::calls`: the host's call that gave this work to the GPU, if it is known.
  std::uint32_t graph = 0;  ///< CUPTI's number of the executable CUDA graph that this is a node of, or 0.
  bool operator==(const Activity&) const = default;
};

/// One launch of a kernel.
struct Launch : Activity {
  Index shape = 0;  ///< Into `Survey::shapes`.
  bool operator==(const Launch&) const = default;
};

/// Where the bytes of a copy or a fill are.
enum class MemoryKind {
  kUnknown,
  kPageable,
  kPinned,
  kDevice,
  kArray,
  kManaged,
  kDeviceStatic,
  kManagedStatic
};

/// Which way a copy goes.
enum class CopyDirection {
  kUnknown,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeerToPeer
};

/// The names of where bytes are and of directions in texts, JSON and traces: `pinned`, `host to device`.
std::string_view to_string(MemoryKind kind);
std::string_view to_string(CopyDirection direction);

/// One copy.
struct Copy : Activity {
  std::uint64_t bytes = 0;
  CopyDirection direction = CopyDirection::kUnknown;
  MemoryKind source = MemoryKind::kUnknown;
  MemoryKind destination = MemoryKind::kUnknown;
  bool asynchronous = false;  ///< Whether the call that asked for it was one of the `Async` calls.
  bool operator==(const Copy&) const = default;
};

/// One fill (`cudaMemset` and similar calls).
struct Fill : Activity {
  std::uint64_t bytes = 0;
  MemoryKind destination = MemoryKind::kUnknown;
  bool operator==(const Fill&) const = default;
};

/// What a call of the CUDA API is for.
enum class CallKind {
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

/// The name of a kind in texts and JSON: `graph launch`, `wait`.
std::string_view to_string(CallKind kind);

/// One call of the CUDA API. Calls that take no part in the survey's questions are not recorded. If the
/// runtime calls the driver, only the outer call is here.
struct Call {
  Interval time;
  Index process = 0;
  std::uint32_t thread = 0;  ///< The system's number of the thread.
  Index name = 0;            ///< Into `Survey::names`, for example `cudaMalloc`.
  CallKind kind = CallKind::kOther;
  bool operator==(const Call&) const = default;
};

/// A range that the program marked with NVTX.
struct Range {
  Interval time;
  Index process = 0;
  std::uint32_t thread = 0;
  Index name = 0;
  bool operator==(const Range&) const = default;
};

/// Launches of one shape that a survey counted and did not list, because it had reached its limit of records.
struct UnlistedLaunches {
  Index process = 0;
  Index shape = 0;
  std::int64_t count = 0;
  std::int64_t duration = 0;  ///< The sum, in nanoseconds.
  bool operator==(const UnlistedLaunches&) const = default;
};

/// The hardware counters of launches of one shape on one GPU. They come from a second run of the program, in
/// which times were not recorded.
struct CountedShape {
  Index shape = 0;
  Index device = 0;
  std::vector<model::Counters> launches;  ///< Those of each counted launch, by CUPTI's names.
  bool operator==(const CountedShape&) const = default;
};

/// How many nodes of a graph are launches of one shape.
struct GraphPart {
  Index shape = 0;
  std::int64_t nodes = 0;
  bool operator==(const GraphPart&) const = default;
};

/// The hardware counters of whole launches of a CUDA graph on one GPU, also from the second run. Each pass of
/// the counters took a launch of its own.
struct CountedGraph {
  Index device = 0;
  std::int64_t kernel_nodes = 0;
  std::int64_t other_nodes = 0;           ///< Copies, fills and other nodes.
  std::vector<GraphPart> parts;           ///< Those of its kernels that were to be counted.
  std::vector<model::Counters> launches;  ///< As in `CountedShape`, for the whole graph.
  bool operator==(const CountedGraph&) const = default;
};

/// How the surveyed program was run, and how it ended.
struct Run {
  std::vector<std::string> command;
  std::int64_t duration =
      0;  ///< Wall time, in nanoseconds: from its start to the end of it or of the survey.
  std::optional<int> exit_code;  ///< Absent if a signal ended it, or if it still ran.
  std::optional<int> signal;     ///< The signal that ended it.
  Interval window;               ///< The part of the run in which records were kept.
  std::string range;             ///< The NVTX range to which the survey was limited, or empty.
  std::string host_system;       ///< Such as `Linux 6.8 x86_64`. It has no name of a host or user.
  std::int64_t started_ms = 0;   ///< In milliseconds since 1970.
  std::string warptune_version;
  std::string problem;  ///< Why the survey as a whole lacks something, as a sentence. It is empty otherwise.
  /// Why counters that were asked for are missing, as sentences. It is empty otherwise.
  std::string counting_problem;
  bool operator==(const Run&) const = default;
};

/// A whole survey. Launches, copies, fills, calls and ranges are each in the order of their start.
struct Survey {
  Run run;
  std::vector<std::string> names;
  std::vector<Device> devices;
  std::vector<Process> processes;
  std::vector<Stream> streams;
  std::vector<KernelShape> shapes;
  std::vector<Launch> launches;
  std::vector<Copy> copies;
  std::vector<Fill> fills;
  std::vector<Call> calls;
  std::vector<Range> ranges;
  std::vector<UnlistedLaunches> unlisted;
  std::vector<CountedShape> counted;  ///< In the order of their kernels' times.
  std::vector<CountedGraph> counted_graphs;

  bool operator==(const Survey&) const = default;
};

}  // namespace warptune::survey::records
