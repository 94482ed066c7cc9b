#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel_templates/buffer_memory.h"
#include "kernel_templates/data_type.h"

namespace warptune::kernel_templates {

/// The address of a buffer within a struct that a launch passes.
struct PassedAddress {
  std::size_t argument = 0;       ///< The buffer's index among the arguments.
  std::int64_t offset_bytes = 0;  ///< The offset into the buffer.
  std::size_t at = 0;             ///< The place of the 8 bytes of the address in the struct, in bytes.
};

/// The value that a launch passes for one parameter of a kernel.
struct PassedArgument {
  std::optional<std::size_t> argument;   ///< The argument's index; no value means `value`.
  std::int64_t offset_bytes = 0;         ///< The offset into a buffer.
  std::vector<std::byte> value;          ///< A number, or a struct.
  std::vector<PassedAddress> addresses;  ///< What replaces bytes of `value`, if it is a struct.

  /// Whether the kernel gets the address of a buffer, also within a struct.
  bool passes(std::size_t buffer) const {
    return argument == buffer ||
           std::any_of(addresses.begin(), addresses.end(),
                       [buffer](const PassedAddress& one) { return one.argument == buffer; });
  }
};

/// How the blocks of a cluster are distributed to SMs (CUDA driver API, `CUclusterSchedulingPolicy`).
enum class ClusterScheduling { kDefault, kSpread, kLoadBalancing };

/// The names of `ClusterScheduling` in definitions, in its order.
inline std::vector<std::string> cluster_scheduling_names() { return {"default", "spread", "load_balancing"}; }

/// One launch; all expressions are evaluated.
struct LaunchStep {
  std::string entry;  ///< The name expression for NVRTC. `CompiledKernel::find_entry` gives the symbol.
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::array<std::int64_t, 3> cluster{1, 1, 1};
  std::int64_t shared_bytes = 0;
  bool cooperative = false;
  /// The preferred share of shared memory in an SM's combined L1 cache and shared memory, in percent. Without
  /// a value the driver chooses.
  std::optional<int> carveout;
  ClusterScheduling cluster_scheduling = ClusterScheduling::kDefault;
  /// The arguments to pass; no value means all arguments in order.
  std::optional<std::vector<PassedArgument>> arguments;
};

/// A range of bytes within a buffer. `buffer` is the buffer's index among the arguments.
struct BufferRange {
  std::size_t buffer = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = 0;
};

/// Copies a range. The two ranges do not overlap.
struct CopyStep {
  BufferRange from;
  BufferRange to;  ///< As long as `from`.
};

struct FillStep {
  BufferRange range;
  std::uint8_t byte = 0;
};

/// Moves the pages of a range of managed memory.
struct PrefetchStep {
  BufferRange range;
  PagePlace to = PagePlace::kDevice;
};

/// Row-major C (m x n) = A (m x k) B (k x n) by cuBLAS. Products of f16 and bf16 are added in f32.
struct MatrixProductStep {
  std::size_t a = 0;  ///< The indices of the matrices among the arguments.
  std::size_t b = 0;
  std::size_t c = 0;
  DataType type = DataType::kF32;  ///< The type of A and B.
  DataType result_type = DataType::kF32;
  std::int32_t m = 1;
  std::int32_t n = 1;
  std::int32_t k = 1;
  bool pedantic = false;
};

/// Waits until another stream has finished all work that it has got so far.
struct WaitStep {
  std::size_t stream = 0;
};

/// The host allocates memory of the GPU and frees it again. Freeing waits for all work of the GPU, unless the
/// memory is from a pool.
struct AllocateStep {
  std::int64_t bytes = 1;
  bool from_pool = false;  ///< Both calls are in the order of the step's stream.
};

/// The host waits for all streams.
struct SynchroniseStep {};

struct PlanStep {
  std::variant<LaunchStep, CopyStep, FillStep, PrefetchStep, MatrixProductStep, WaitStep, AllocateStep,
               SynchroniseStep>
      action;
  std::size_t stream = 0;

  /// Null if the step does not launch a kernel.
  const LaunchStep* launch() const { return std::get_if<LaunchStep>(&action); }
};

/// The highest priority of a stream that the GPU has.
inline constexpr int kHighestPriority = std::numeric_limits<int>::min();

/// What the host does in one evaluation, in order. These are the definition's launches whose conditions hold
/// (`before`, main, `after`), or the steps of its host program.
struct LaunchPlan {
  std::vector<PlanStep> steps;
  std::size_t main = 0;  ///< The step whose resources and occupancy represent the whole plan.
  std::size_t streams = 1;
  /// The priority of each stream by the driver's numbers: 0 is the lowest, and lower numbers are higher
  /// priorities. `kHighestPriority` stands for the GPU's highest. Empty: 0 for all streams.
  std::vector<int> priorities;
  bool graph = false;  ///< All steps form one CUDA graph.
  bool host_program = false;
  bool timed_by_host = false;  ///< The time of an evaluation includes the host's time.

  /// The launch of the main step. Null if the plan does not launch a kernel of the definition.
  const LaunchStep* main_launch() const { return main < steps.size() ? steps[main].launch() : nullptr; }
};

}  // namespace warptune::kernel_templates
