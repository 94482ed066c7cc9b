#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernel_templates/data_type.h"

namespace warptune::kernel_templates {

/// What a kernel gets for one parameter.
struct PassedArgument {
  std::optional<std::size_t> argument;  ///< The place of a definition's argument; nothing: `value`.
  std::int64_t offset_bytes = 0;        ///< Of a buffer.
  std::vector<std::byte> value;
};

/// One launch with its numbers.
struct LaunchStep {
  std::string entry;  ///< Name expression as given to NVRTC; `CompiledKernel::find_entry` gives the symbol.
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::array<std::int64_t, 3> cluster{1, 1, 1};
  std::int64_t shared_bytes = 0;
  bool cooperative = false;
  /// Nothing: all arguments in order.
  std::optional<std::vector<PassedArgument>> arguments;
};

/// Bytes of one buffer, inside its size. `buffer` is its place among the arguments.
struct BufferRange {
  std::size_t buffer = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = 0;
};

/// Never overlapping.
struct CopyStep {
  BufferRange from;
  BufferRange to;  ///< As long.
};

struct FillStep {
  BufferRange range;
  std::uint8_t byte = 0;
};

/// Row-major C (m x n) = A (m x k) B (k x n) by cuBLAS; f16 and bf16 are added up in f32.
struct MatrixProductStep {
  std::size_t a = 0;  ///< Places among the arguments.
  std::size_t b = 0;
  std::size_t c = 0;
  DataType type = DataType::kF32;  ///< Of A and B.
  DataType result_type = DataType::kF32;
  std::int32_t m = 1;
  std::int32_t n = 1;
  std::int32_t k = 1;
  bool pedantic = false;
};

/// Until the other stream has done what was put on it so far.
struct WaitStep {
  std::size_t stream = 0;
};

/// The host waits for all streams.
struct SynchroniseStep {};

struct PlanStep {
  std::variant<LaunchStep, CopyStep, FillStep, MatrixProductStep, WaitStep, SynchroniseStep> action;
  std::size_t stream = 0;

  /// Null where it launches no kernel.
  const LaunchStep* launch() const { return std::get_if<LaunchStep>(&action); }
};

/// What the host does in one evaluation, in order: the kernels of a definition's launches (`before`, main,
/// `after`, those whose conditions hold), or its host program.
struct LaunchPlan {
  std::vector<PlanStep> steps;
  std::size_t main = 0;  ///< The step whose resources and occupancy stand for the whole.
  std::size_t streams = 1;
  bool graph = false;  ///< All steps are one CUDA graph.
  bool host_program = false;
  bool timed_by_host = false;  ///< The host's time is part of the evaluation's.

  /// The main step's launch; null where no kernel of the definition runs.
  const LaunchStep* main_launch() const { return main < steps.size() ? steps[main].launch() : nullptr; }
};

}  // namespace warptune::kernel_templates
