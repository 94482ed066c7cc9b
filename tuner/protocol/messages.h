#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "kernel_templates/compile_fields.h"
#include "model/fields.h"
#include "profiling/hot_line_fields.h"
#include "profiling/measuring_options.h"
#include "profiling/timing/finalist_timing.h"

/// What the coordinator and its workers say to each other: one struct a message, its name on the wire, and
/// the one list of its members. `codec.h` turns any of them into bytes and back. `docs/protocol.md` shows who
/// sends what when.
namespace warptune::tuner::protocol {

/// Both ends must have the same. To be raised with any change of a message.
inline constexpr std::uint32_t kVersion = 3;

/// The first message of each end.
struct Hello {
  static constexpr std::string_view kName = "hello";
  std::uint32_t version = kVersion;
};

// To a GPU worker
// ---------------------------------------------------------------------------------------------

/// Asks for `GpusListed`.
struct ListGpus {
  static constexpr std::string_view kName = "list_gpus";
};

/// Makes a context on a GPU and loads the worker's own kernels. No answer but a `Failure`.
struct PrepareGpu {
  static constexpr std::string_view kName = "prepare_gpu";
  model::GpuDescription gpu;
  int ordinal = 0;
  profiling::MeasuringOptions measuring;
  std::vector<model::RoofReading> roofs;  ///< Known of the GPU; empty: the worker measures them, later.
  bool roofs_first = false;               ///< Measures them before it is ready.
};

/// What is measured: fills the buffers. After `PrepareGpu`. No answer but a `Failure`.
struct SetUp {
  static constexpr std::string_view kName = "set_up";
  std::string kernel;                                   ///< Path of the definition.
  std::vector<std::filesystem::path> readable_folders;  ///< What it may read beyond its own.
  model::NamedValues problem;
  /// A worker before this one used the GPU: the first look at it says nothing about others.
  bool replacement = false;
};

/// The last step before evaluations: keeps the outputs of the reference, where there is one. Asks for
/// `Ready`.
struct Begin {
  static constexpr std::string_view kName = "begin";
  std::optional<kernel_templates::CompiledKernel> reference;
};

/// A configuration with its code. Asks for `Begun`, then `Evaluated`; `CountersRead` may come any time later.
/// After the first one the worker measures roofs that it was not told, and says them (`RoofsMeasured`).
struct Evaluate {
  static constexpr std::string_view kName = "evaluate";
  std::uint64_t id = 0;
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
  double incumbent_ns = 0.0;  ///< The best median so far; 0: none.
};

/// Counts once more what was evaluated before. Asks for `Counted`.
struct Count {
  static constexpr std::string_view kName = "count";
  std::uint64_t id = 0;
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
};

/// Asks for `CountersRead`, the last with `closed`.
struct CloseCounters {
  static constexpr std::string_view kName = "close_counters";
};

struct Finalist {
  model::NamedValues configuration;
  kernel_templates::CompiledKernel compiled;
};

/// Times finalists in rounds. Asks for `Interleaved`.
struct Interleave {
  static constexpr std::string_view kName = "interleave";
  std::vector<Finalist> finalists;
  int rounds = 0;
};

/// Launches a configuration again and again on new inputs, and verifies each launch. Asks for `Confirmed`.
struct Confirm {
  static constexpr std::string_view kName = "confirm";
  Finalist finalist;
};

/// Asks for `RoofsMeasured`.
struct MeasureRoofs {
  static constexpr std::string_view kName = "measure_roofs";
  model::GpuDescription gpu;
  int ordinal = 0;
  std::filesystem::path compile_cache;  ///< Empty: none.
};

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

// To a compile worker
// -----------------------------------------------------------------------------------------

/// Asks for `Compiled` or `Rejected`.
struct Compile {
  static constexpr std::string_view kName = "compile";
  kernel_templates::CompileRequest request;
};

// From a GPU worker
// -------------------------------------------------------------------------------------------

struct GpusListed {
  static constexpr std::string_view kName = "gpus_listed";
  std::vector<model::GpuDescription> gpus;  ///< By ordinal.
  std::string reason;                       ///< Why there are none.
};

struct Ready {
  static constexpr std::string_view kName = "ready";
  std::vector<model::RoofReading> roofs;  ///< Empty: they are measured after the first evaluation.
  model::Environment environment;
};

/// The worker begins with an evaluation: its time runs from here.
struct Begun {
  static constexpr std::string_view kName = "begun";
  std::uint64_t id = 0;
};

struct Evaluated {
  static constexpr std::string_view kName = "evaluated";
  std::uint64_t id = 0;
  model::Measurement measurement;
  bool counting = false;  ///< Counters of it will come.
};

/// A kernel poisoned the worker's context, and what was to be said of it has been said: the worker ends.
struct ContextLost {
  static constexpr std::string_view kName = "context_lost";
};

struct Counted {
  static constexpr std::string_view kName = "counted";
  std::uint64_t id = 0;
};

/// Counters of one evaluation.
struct CounterValues {
  std::uint64_t id = 0;
  model::Counters counters;
  bool disturbed = false;  ///< Something beside the launch took time while it was counted.
};

struct CountersRead {
  static constexpr std::string_view kName = "counters_read";
  std::vector<CounterValues> values;
  bool closed = false;  ///< None is outstanding.
};

struct Interleaved {
  static constexpr std::string_view kName = "interleaved";
  std::vector<profiling::timing::FinalistTiming> timings;  ///< One a finalist.
};

struct Confirmed {
  static constexpr std::string_view kName = "confirmed";
  profiling::timing::Confirmation confirmation;
};

struct RoofsMeasured {
  static constexpr std::string_view kName = "roofs_measured";
  std::vector<model::RoofReading> readings;
  std::vector<std::string> problems;  ///< Why what is left out could not be measured.
};

struct HotLinesSampled {
  static constexpr std::string_view kName = "hot_lines_sampled";
  profiling::HotLines lines;
};

/// A line for people.
struct Warning {
  static constexpr std::string_view kName = "warning";
  std::string text;
};

// From a compile worker
// ---------------------------------------------------------------------------------------

struct Compiled {
  static constexpr std::string_view kName = "compiled";
  kernel_templates::CompiledKernel compiled;
};

struct Rejected {
  static constexpr std::string_view kName = "rejected";
  model::Rejection rejection;
};

// From any worker
// ---------------------------------------------------------------------------------------------

/// A failed session, with what is needed to throw it at the other end as the exception that it was.
struct Failure {
  static constexpr std::string_view kName = "failure";
  base::ErrorKind kind = base::ErrorKind::kInternal;
  base::SourcePosition position;  ///< Of `kInput`.
  std::string message;            ///< Without the position.
};

using Message = std::variant<Hello, ListGpus, PrepareGpu, SetUp, Begin, Evaluate, Count, CloseCounters,
                             Interleave, Confirm, MeasureRoofs, SampleHotLines, Compile, GpusListed, Ready,
                             Begun, Evaluated, ContextLost, Counted, CountersRead, Interleaved, Confirmed,
                             RoofsMeasured, HotLinesSampled, Warning, Compiled, Rejected, Failure>;

/// What a caught exception becomes on the wire.
Failure failure_of(const std::exception& error);
/// Throws it as the exception that it was: `base::InputError`, `base::MachineError`, `base::WorkError` or
/// `base::InternalError`.
[[noreturn]] void throw_failure(const Failure& failure);

template <model::MaybeConst<Hello> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("version", message.version);
}

template <model::MaybeConst<ListGpus> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

template <model::MaybeConst<PrepareGpu> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("measuring", message.measuring);
  visit("roofs", message.roofs);
  visit("roofs_first", message.roofs_first);
}

template <model::MaybeConst<SetUp> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kernel", message.kernel);
  visit("readable_folders", message.readable_folders);
  visit("problem", message.problem);
  visit("replacement", message.replacement);
}

template <model::MaybeConst<Begin> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("reference", message.reference);
}

template <model::MaybeConst<Evaluate> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
  visit("configuration", message.configuration);
  visit("compiled", message.compiled);
  visit("incumbent_ns", message.incumbent_ns);
}

template <model::MaybeConst<Count> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
  visit("configuration", message.configuration);
  visit("compiled", message.compiled);
}

template <model::MaybeConst<CloseCounters> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

template <model::MaybeConst<Finalist> Object, class Visit>
void visit_fields(Object& finalist, Visit&& visit) {
  visit("configuration", finalist.configuration);
  visit("compiled", finalist.compiled);
}

template <model::MaybeConst<Interleave> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("finalists", message.finalists);
  visit("rounds", message.rounds);
}

template <model::MaybeConst<Confirm> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("finalist", message.finalist);
}

template <model::MaybeConst<MeasureRoofs> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpu", message.gpu);
  visit("ordinal", message.ordinal);
  visit("compile_cache", message.compile_cache);
}

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

template <model::MaybeConst<Compile> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("request", message.request);
}

template <model::MaybeConst<GpusListed> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpus", message.gpus);
  visit("reason", message.reason);
}

template <model::MaybeConst<Ready> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("roofs", message.roofs);
  visit("environment", message.environment);
}

template <model::MaybeConst<Begun> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
}

template <model::MaybeConst<Evaluated> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
  visit("measurement", message.measurement);
  visit("counting", message.counting);
}

template <model::MaybeConst<ContextLost> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

template <model::MaybeConst<Counted> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
}

template <model::MaybeConst<CounterValues> Object, class Visit>
void visit_fields(Object& values, Visit&& visit) {
  visit("id", values.id);
  visit("counters", values.counters);
  visit("disturbed", values.disturbed);
}

template <model::MaybeConst<CountersRead> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("values", message.values);
  visit("closed", message.closed);
}

template <model::MaybeConst<Interleaved> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("timings", message.timings);
}

template <model::MaybeConst<Confirmed> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("confirmation", message.confirmation);
}

template <model::MaybeConst<RoofsMeasured> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("readings", message.readings);
  visit("problems", message.problems);
}

template <model::MaybeConst<HotLinesSampled> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("lines", message.lines);
}

template <model::MaybeConst<Warning> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("text", message.text);
}

template <model::MaybeConst<Compiled> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("compiled", message.compiled);
}

template <model::MaybeConst<Rejected> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("rejection", message.rejection);
}

template <model::MaybeConst<Failure> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("kind", message.kind);
  visit("file", message.position.file);
  visit("line", message.position.line);
  visit("column", message.position.column);
  visit("message", message.message);
}

}  // namespace warptune::tuner::protocol
