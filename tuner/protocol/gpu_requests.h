// What the coordinator sends to a GPU worker, in the order of a session. Of each message its name on the wire
// and the one list of its members.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/compile_fields.h"
#include "model/fields.h"
#include "profiling/measuring_options.h"

namespace warptune::tuner::protocol {

/// Asks for `GpusListed`.
struct ListGpus {
  static constexpr std::string_view kName = "list_gpus";
};

template <model::MaybeConst<ListGpus> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

/// Makes a context on a GPU and loads the worker's own kernels. No answer but a `Failure`.
struct PrepareGpu {
  static constexpr std::string_view kName = "prepare_gpu";
  model::GpuDescription gpu;
  int ordinal = 0;
  profiling::MeasuringOptions measuring;
  std::vector<model::RoofReading> roofs;  ///< Known of the GPU; empty: the worker measures them, later.
  bool roofs_first = false;               ///< Measures them before it is ready.
};

template <model::MaybeConst<PrepareGpu> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("measuring", message.measuring);
  visit("roofs", message.roofs);
  visit("roofs_first", message.roofs_first);
}

/// What is measured: fills the buffers. After `PrepareGpu`. No answer but a `Failure`.
struct SetUp {
  static constexpr std::string_view kName = "set_up";
  std::string kernel;                                   ///< Path of the definition.
  std::vector<std::filesystem::path> readable_folders;  ///< What it may read beyond its own.
  model::NamedValues problem;
  /// A worker before this one used the GPU: the first look at it says nothing about others.
  bool replacement = false;
};

template <model::MaybeConst<SetUp> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kernel", message.kernel);
  visit("readable_folders", message.readable_folders);
  visit("problem", message.problem);
  visit("replacement", message.replacement);
}

/// The last step before evaluations: keeps the outputs of the reference, where there is one. Asks for
/// `Ready`.
struct Begin {
  static constexpr std::string_view kName = "begin";
  std::optional<kernel_templates::CompiledKernel> reference;
};

template <model::MaybeConst<Begin> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("reference", message.reference);
}

/// A configuration with its code. Asks for `Begun`, then `Evaluated`; `CountersRead` may come any time later.
/// After the first one the worker measures roofs that it was not told, and says them (`RoofsMeasured`).
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

/// Counts once more what was evaluated before. Asks for `Counted`.
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

/// Asks for `CountersRead`, the last with `closed`.
struct CloseCounters {
  static constexpr std::string_view kName = "close_counters";
};

template <model::MaybeConst<CloseCounters> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

struct Finalist {
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
};

template <model::MaybeConst<Finalist> Object, class Visit>
void visit_fields(Object& finalist, Visit&& visit) {
  visit("configuration", finalist.configuration);
  visit("compiled", finalist.compiled);
}

/// Times finalists in rounds. Asks for `Interleaved`.
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

/// Launches a configuration again and again on new inputs, and verifies each launch. Asks for `Confirmed`.
struct Confirm {
  static constexpr std::string_view kName = "confirm";
  Finalist finalist;
};

template <model::MaybeConst<Confirm> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("finalist", message.finalist);
}

/// Asks for `RoofsMeasured`.
struct MeasureRoofs {
  static constexpr std::string_view kName = "measure_roofs";
  model::GpuDescription gpu;
  int ordinal = 0;
  std::filesystem::path compile_cache;  ///< Empty: none.
};

template <model::MaybeConst<MeasureRoofs> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("compile_cache", message.compile_cache);
}

/// Asks for `HotLinesSampled`. To a worker that is asked for nothing else.
struct SampleHotLines {
  static constexpr std::string_view kName = "sample_hot_lines";
  std::string kernel;                                   ///< Path of the definition.
  std::vector<std::filesystem::path> readable_folders;  ///< What it may read beyond its own.
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

}  // namespace warptune::tuner::protocol
