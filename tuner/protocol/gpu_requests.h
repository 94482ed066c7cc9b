// The messages that the coordinator sends to a GPU worker, in the order of a session. `kName` is the name in
// the protocol, and `visit_fields` is the only list of the members.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/compile_fields.h"
#include "kernel_templates/given_contents.h"
#include "model/fields.h"
#include "profiling/measuring_options.h"

namespace warptune::tuner::protocol {

/// The answer is `GpusListed`.
struct ListGpus {
  static constexpr std::string_view kName = "list_gpus";
};

template <model::MaybeConst<ListGpus> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

/// Creates a context on a GPU and loads the worker's own kernels. Answered only by a `Failure`, if there is
/// one.
struct PrepareGpu {
  static constexpr std::string_view kName = "prepare_gpu";
  model::GpuDescription gpu;
  int ordinal = 0;
  profiling::MeasuringOptions measuring;
  std::vector<model::RoofReading> roofs;  ///< Known roofs of the GPU; empty: the worker measures them later.
  bool roofs_first = false;               ///< Unknown roofs are measured before the worker is ready.
};

template <model::MaybeConst<PrepareGpu> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("measuring", message.measuring);
  visit("roofs", message.roofs);
  visit("roofs_first", message.roofs_first);
}

/// Fills the buffers of the kernel that is measured. Follows `PrepareGpu`. Answered only by a `Failure`, if
/// there is one.
struct SetUp {
  static constexpr std::string_view kName = "set_up";
  std::string kernel;  ///< Path of the definition.
  std::vector<std::filesystem::path>
      readable_folders;  ///< Folders that the definition may read, besides its own.
  model::NamedValues problem;
  /// Contents of buffers that replace those of the definition. Their files belong to the coordinator.
  std::vector<kernel_templates::GivenContents> contents;
  /// Another worker used the GPU before. Therefore the warnings of the first look at the GPU are dropped:
  /// they may be about that worker.
  bool replacement = false;
};

template <model::MaybeConst<SetUp> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kernel", message.kernel);
  visit("readable_folders", message.readable_folders);
  visit("problem", message.problem);
  visit("contents", message.contents);
  visit("replacement", message.replacement);
}

/// The last step before evaluations: computes and keeps the outputs of the reference if there is one. The
/// answer is `Ready`.
struct Begin {
  static constexpr std::string_view kName = "begin";
  std::optional<kernel_templates::CompiledKernel> reference;
};

template <model::MaybeConst<Begin> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("reference", message.reference);
}

/// A configuration with its code. The answers are `Begun`, then `Evaluated`. `CountersRead` may follow at any
/// later time. After the first evaluation the worker measures the roofs that were not sent to it, and sends
/// them (`RoofsMeasured`).
struct Evaluate {
  static constexpr std::string_view kName = "evaluate";
  std::uint64_t id = 0;
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
  double incumbent_ns = 0.0;  ///< The best median so far; 0: none.
};

template <model::MaybeConst<Evaluate> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
  visit("configuration", message.configuration);
  visit("compiled", message.compiled);
  visit("incumbent_ns", message.incumbent_ns);
}

/// Counts an earlier evaluation once more. The answer is `Counted`.
struct Count {
  static constexpr std::string_view kName = "count";
  std::uint64_t id = 0;
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
};

template <model::MaybeConst<Count> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
  visit("configuration", message.configuration);
  visit("compiled", message.compiled);
}

/// Asks for all outstanding counters. The answers are `CountersRead`. The last one has `closed` set.
struct CloseCounters {
  static constexpr std::string_view kName = "close_counters";
  /// Whether a worker that has not begun to count begins now. Otherwise its evaluations get no counters.
  bool may_begin = true;
};

template <model::MaybeConst<CloseCounters> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("may_begin", message.may_begin);
}

struct Finalist {
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
};

template <model::MaybeConst<Finalist> Object, class Visit>
void visit_fields(Object& finalist, Visit&& visit) {
  visit("configuration", finalist.configuration);
  visit("compiled", finalist.compiled);
}

/// Times finalists in interleaved rounds. The worker sends `Begun` before each launch, then `Interleaved`.
struct Interleave {
  static constexpr std::string_view kName = "interleave";
  std::vector<Finalist> finalists;
  int rounds = 0;
};

template <model::MaybeConst<Interleave> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("finalists", message.finalists);
  visit("rounds", message.rounds);
}

/// Answers `ResultsWritten`.
struct Judged {
  static constexpr std::string_view kName = "judged";
  bool right = false;
  std::string reason;  ///< Why the results are wrong.
};

template <model::MaybeConst<Judged> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("right", message.right);
  visit("reason", message.reason);
}

/// Launches a configuration repeatedly on new inputs and verifies each launch. The worker sends `Begun`
/// before each launch, then `Confirmed`.
struct Confirm {
  static constexpr std::string_view kName = "confirm";
  Finalist finalist;
};

template <model::MaybeConst<Confirm> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("finalist", message.finalist);
}

/// The answer is `RoofsMeasured`.
struct MeasureRoofs {
  static constexpr std::string_view kName = "measure_roofs";
  model::GpuDescription gpu;
  int ordinal = 0;
  std::filesystem::path compile_cache;  ///< Empty: there is no cache.
};

template <model::MaybeConst<MeasureRoofs> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("compile_cache", message.compile_cache);
}

/// Samples the source lines at which the warps of a kernel are. The answer is `HotLinesSampled`. This worker
/// gets no other message.
struct SampleHotLines {
  static constexpr std::string_view kName = "sample_hot_lines";
  std::string kernel;  ///< Path of the definition.
  std::vector<std::filesystem::path>
      readable_folders;  ///< Folders that the definition may read, besides its own.
  model::NamedValues problem;
  model::GpuDescription gpu;
  int ordinal = 0;
  profiling::MeasuringOptions measuring;
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;  ///< With line numbers.
};

template <model::MaybeConst<SampleHotLines> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kernel", message.kernel);
  visit("readable_folders", message.readable_folders);
  visit("problem", message.problem);
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("measuring", message.measuring);
  visit("configuration", message.configuration);
  visit("compiled", message.compiled);
}

/// Runs a host program while CUPTI records its steps. The answer is `StepsTraced`. This worker gets no other
/// message.
struct TraceSteps {
  static constexpr std::string_view kName = "trace_steps";
  std::string kernel;  ///< Path of the definition.
  std::vector<std::filesystem::path>
      readable_folders;  ///< Folders that the definition may read, besides its own.
  model::NamedValues problem;
  model::GpuDescription gpu;
  int ordinal = 0;
  profiling::MeasuringOptions measuring;
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
};

template <model::MaybeConst<TraceSteps> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kernel", message.kernel);
  visit("readable_folders", message.readable_folders);
  visit("problem", message.problem);
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("measuring", message.measuring);
  visit("configuration", message.configuration);
  visit("compiled", message.compiled);
}

/// Launches a configuration once, from buffers of exactly the sizes of the arguments. The answer is
/// `LaunchedOnce`. A program that checks the accesses of kernels starts the worker, so the request is in a
/// file (`workers::launch_from_file`).
struct LaunchOnce {
  static constexpr std::string_view kName = "launch_once";
  std::string kernel;  ///< Path of the definition.
  std::vector<std::filesystem::path>
      readable_folders;  ///< Folders that the definition may read, besides its own.
  model::NamedValues problem;
  model::GpuDescription gpu;
  int ordinal = 0;
  std::uint64_t seed = 1;
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
  std::int64_t deadline_s = 0;  ///< The operating system ends the worker after this time.
};

template <model::MaybeConst<LaunchOnce> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kernel", message.kernel);
  visit("readable_folders", message.readable_folders);
  visit("problem", message.problem);
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("seed", message.seed);
  visit("configuration", message.configuration);
  visit("compiled", message.compiled);
  visit("deadline_s", message.deadline_s);
}

}  // namespace warptune::tuner::protocol
