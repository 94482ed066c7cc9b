// The messages that a GPU worker sends. `kName` is the name in the protocol, and `visit_fields` is the only
// list of the members.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.h"
#include "profiling/hot_line_fields.h"
#include "profiling/timing/finalist_timing.h"
#include "profiling/tracing/program_timeline_fields.h"

namespace warptune::tuner::protocol {

struct GpusListed {
  static constexpr std::string_view kName = "gpus_listed";
  std::vector<model::GpuDescription> gpus;  ///< By ordinal.
  std::string reason;                       ///< Why there is no GPU.
};

template <model::MaybeConst<GpusListed> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("gpus", message.gpus);
  visit("reason", message.reason);
}

struct Ready {
  static constexpr std::string_view kName = "ready";
  std::vector<model::RoofReading> roofs;  ///< Empty: they are measured after the first evaluation.
  model::Environment environment;
};

template <model::MaybeConst<Ready> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("roofs", message.roofs);
  visit("environment", message.environment);
}

/// The worker begins an evaluation, or launches a finalist once more. The time limit starts here.
struct Begun {
  static constexpr std::string_view kName = "begun";
  std::uint64_t id = 0;  ///< The evaluation, or the finalist's position in `Interleave`; 0 in `Confirm`.
};

template <model::MaybeConst<Begun> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
}

struct Evaluated {
  static constexpr std::string_view kName = "evaluated";
  std::uint64_t id = 0;
  model::Measurement measurement;
  bool counted = false;   ///< The counters of this evaluation will follow.
  bool counting = false;  ///< Counters of earlier evaluations may still follow.
};

template <model::MaybeConst<Evaluated> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
  visit("measurement", message.measurement);
  visit("counted", message.counted);
  visit("counting", message.counting);
}

/// A kernel destroyed the worker's CUDA context. Everything about the evaluation has been sent, and the
/// worker ends.
struct ContextLost {
  static constexpr std::string_view kName = "context_lost";
};

template <model::MaybeConst<ContextLost> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

/// The evaluation was counted again. Its counters follow.
struct Counted {
  static constexpr std::string_view kName = "counted";
  std::uint64_t id = 0;
};

template <model::MaybeConst<Counted> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("id", message.id);
}

/// Counters of one evaluation.
struct CounterValues {
  std::uint64_t id = 0;
  model::Counters counters;
  bool disturbed = false;  ///< Something besides the launch took time while it was counted.
};

template <model::MaybeConst<CounterValues> Object, class Visit>
void visit_fields(Object& values, Visit&& visit) {
  visit("id", values.id);
  visit("counters", values.counters);
  visit("disturbed", values.disturbed);
}

struct CountersRead {
  static constexpr std::string_view kName = "counters_read";
  std::vector<CounterValues> values;
  bool closed = false;  ///< No counters are outstanding.
};

template <model::MaybeConst<CountersRead> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("values", message.values);
  visit("closed", message.closed);
}

/// The outputs of a launch are in the files of `ContentsRole::kResult`. Asks whether they are right
/// (`Judged`).
struct ResultsWritten {
  static constexpr std::string_view kName = "results_written";
};

template <model::MaybeConst<ResultsWritten> Object, class Visit>
void visit_fields(Object&, Visit&&) {}

struct Interleaved {
  static constexpr std::string_view kName = "interleaved";
  std::vector<profiling::timing::FinalistTiming> timings;  ///< One for each finalist.
};

template <model::MaybeConst<Interleaved> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("timings", message.timings);
}

struct Confirmed {
  static constexpr std::string_view kName = "confirmed";
  profiling::timing::Confirmation confirmation;
};

template <model::MaybeConst<Confirmed> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("confirmation", message.confirmation);
}

struct RoofsMeasured {
  static constexpr std::string_view kName = "roofs_measured";
  std::vector<model::RoofReading> readings;
  std::vector<std::string> problems;  ///< Why other roofs could not be measured.
};

template <model::MaybeConst<RoofsMeasured> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("readings", message.readings);
  visit("problems", message.problems);
}

/// The source lines at which the GPU's sampler found the warps of a kernel.
struct HotLinesSampled {
  static constexpr std::string_view kName = "hot_lines_sampled";
  profiling::HotLines lines;
};

template <model::MaybeConst<HotLinesSampled> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("lines", message.lines);
}

/// The steps of a host program, on the host and on the GPU.
struct StepsTraced {
  static constexpr std::string_view kName = "steps_traced";
  profiling::tracing::ProgramTimeline program;
};

template <model::MaybeConst<StepsTraced> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("program", message.program);
}

struct LaunchedOnce {
  static constexpr std::string_view kName = "launched_once";
  std::string problem;  ///< Why the launch failed. Empty if it did not.
};

template <model::MaybeConst<LaunchedOnce> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("problem", message.problem);
}

/// A warning for people.
struct Warning {
  static constexpr std::string_view kName = "warning";
  std::string text;
};

template <model::MaybeConst<Warning> Object, class Visit>
void visit_fields(Object& message, Visit&& visit) {
  visit("text", message.text);
}

}  // namespace warptune::tuner::protocol
