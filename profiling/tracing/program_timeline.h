#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::profiling::tracing {

/// What a step of a host program does.
enum class StepKind { kLaunch, kCopy, kFill, kPrefetch, kLibraryCall, kAllocate, kWait, kSynchronise };
/// `launch`, `copy`, `fill`, `prefetch`, `call`, `allocate`, `wait`, `synchronise`.
std::string_view to_string(StepKind kind);
/// The reverse of `to_string`. `kind` stays empty for any other text.
void parse_text(const std::string& text, std::optional<StepKind>& kind);

/// Where the bytes of a copy are.
enum class StepMemory { kDevice, kPinned, kPageable, kManaged };
/// `device`, `pinned` (also if it is write-combined), `pageable`, `managed`.
std::string_view to_string(StepMemory memory);
/// The reverse of `to_string`. `memory` stays empty for any other text.
void parse_text(const std::string& text, std::optional<StepMemory>& memory);

/// A step of a host program, the same in every run. A loop of two steps that runs eight times gives
/// 16 steps.
struct ProgramStep {
  StepKind kind = StepKind::kLaunch;
  std::string text;         ///< The kernel, the call, or the buffers: `scale`, `x_host to x`.
  std::size_t stream = 0;   ///< The number of its stream in the definition.
  std::uint64_t bytes = 0;  ///< How many bytes it moves, or takes.
  StepMemory from = StepMemory::kDevice;
  StepMemory to = StepMemory::kDevice;
  bool operator==(const ProgramStep&) const = default;
};

/// A kernel with its geometry, as it was launched.
struct TracedKernel {
  std::string name;  ///< The symbol.
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< All are 0 if there are no clusters.
  std::uint32_t registers = 0;                    ///< Each thread has so many.
  std::uint32_t static_shared = 0;                ///< In bytes, of each block.
  std::uint32_t dynamic_shared = 0;               ///< In bytes, of each block.
  std::uint32_t local_bytes = 0;                  ///< In bytes, of each thread.
  bool operator==(const TracedKernel&) const = default;
};

/// When something began and ended, in nanoseconds since its run began.
struct TimeSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t duration_ns() const { return end_ns - start_ns; }
  bool operator==(const TimeSpan&) const = default;
};

/// What the GPU did for a step. A call of a library may launch several kernels.
struct GpuWork {
  std::size_t step = 0;               ///< Into `ProgramTimeline::steps`.
  std::optional<std::size_t> kernel;  ///< Into `ProgramTimeline::kernels`. A copy or a fill has no kernel.
  TimeSpan time;
  bool operator==(const GpuWork&) const = default;
};

/// One run of the program.
struct ProgramRun {
  std::int64_t duration_ns = 0;  ///< From the first call until the host knew that all work had ended.
  /// When the host was within the call of each step. A program that is one CUDA graph has one call, its
  /// launch.
  std::vector<TimeSpan> calls;
  std::vector<GpuWork> work;  ///< In the order of its start.
  bool operator==(const ProgramRun&) const = default;
};

/// The steps of a host program on the host and on the GPU, in several runs. CUPTI recorded them in runs of
/// their own, which are not the timed ones.
struct ProgramTimeline {
  std::vector<ProgramStep> steps;
  std::vector<TracedKernel> kernels;
  std::size_t streams = 1;
  bool graph = false;          ///< The program is one CUDA graph.
  bool timed_by_host = false;  ///< Whether its time includes the time of submitting.
  std::vector<ProgramRun> runs;
  std::uint64_t dropped = 0;  ///< Activities that CUPTI lost, or that belong to no step.
  /// Why there are no runs, and what to do about it. Empty when there are runs.
  std::string problem;
};

/// A timeline that has nothing but the reason.
ProgramTimeline not_traced(std::string problem);

}  // namespace warptune::profiling::tracing
