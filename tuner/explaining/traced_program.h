#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"
#include "profiling/measuring_options.h"
#include "profiling/roofs/host_rates.h"
#include "profiling/tracing/program_timeline.h"
#include "survey/analysis/survey_analysis.h"

namespace warptune::tuner::explaining {

/// All steps of a run that do the same: one step of a loop, whatever its iteration and stream.
struct StepGroup {
  profiling::tracing::StepKind kind = profiling::tracing::StepKind::kLaunch;
  std::string text;
  std::size_t count = 0;          ///< In one run.
  std::set<std::size_t> streams;  ///< On which they are.
  std::uint64_t bytes = 0;        ///< Their sum in one run.
  std::int64_t host_ns = 0;       ///< The sum of their calls in the typical run. 0 for a graph.
  std::int64_t gpu_ns = 0;        ///< The sum of their work in the typical run.
  std::int64_t alone_ns = 0;      ///< The part of `gpu_ns` during which nothing else ran on the GPU.
};

/// A host program with its steps on the host and on the GPU, and what they say.
struct TracedProgram {
  profiling::tracing::ProgramTimeline timeline;
  std::size_t typical = 0;        ///< The run with the median duration, into `timeline.runs`.
  std::vector<StepGroup> groups;  ///< In the order of their first steps.
  /// How the GPU spent the time of all runs. Absent without runs.
  std::optional<survey::analysis::DeviceTime> time;
  std::vector<survey::analysis::Finding> findings;  ///< What to do first comes first.

  const profiling::tracing::ProgramRun& typical_run() const { return timeline.runs.at(typical); }
};

/// Analyses a traced program. `host` is what was measured of the machine. All indices of the timeline must be
/// within its tables.
TracedProgram analysed(profiling::tracing::ProgramTimeline timeline, const model::GpuDescription& gpu,
                       const profiling::roofs::MeasuredHost& host);

/// Whether the indices and times of a timeline fit each other. A worker that runs untrusted code may send
/// anything.
bool is_consistent(const profiling::tracing::ProgramTimeline& timeline);

struct TracingOptions {
  int ordinal = 0;  ///< The CUDA number of the GPU.
  profiling::MeasuringOptions measuring;
  profiling::roofs::MeasuredHost host;  ///< What was measured of this machine's host.
};

/// Whether a definition is a host program, whose steps can be traced.
bool is_host_program(const kernel_templates::KernelInstance& instance);

/// Compiles a configuration of a host program, and runs it several times in a separate worker process, in
/// which CUPTI records the steps. If that fails, `timeline.problem` says why, and there are no runs.
TracedProgram trace_program(const kernel_templates::KernelInstance& instance,
                            const model::NamedValues& configuration, const TracingOptions& options);

}  // namespace warptune::tuner::explaining
