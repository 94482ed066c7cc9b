#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/launch_plan.h"
#include "profiling/tracing/activity_trace.h"
#include "profiling/tracing/program_timeline.h"

namespace warptune::profiling::tracing {

/// A program with its steps and no runs. `arguments` are all arguments of the configuration.
ProgramTimeline described_program(const kernel_templates::LaunchPlan& plan,
                                  const std::vector<kernel_templates::ResolvedArgument>& arguments);

/// The symbols of the kernels that the steps launch, in the order of the steps. It is empty for a step that
/// launches none.
std::vector<std::string> symbols_of_steps(const kernel_templates::LaunchPlan& plan,
                                          const kernel_templates::CompiledKernel& compiled);

/// What the host noted of a run while CUPTI recorded. Times are those of `ActivityTrace::now`.
struct NotedRun {
  TimeSpan time;                ///< From before the first step until all work had ended.
  std::vector<TimeSpan> calls;  ///< One for each step, or one for a program that is a graph.
};

/// Adds runs to a described program: joins what the host noted with what CUPTI recorded.
///
/// An activity belongs to the call with the same number, and the call to the step within whose time it began.
/// All nodes of a graph belong to one call. So a node gets the first step of its run that does the same and
/// has no work yet. It launches the kernel of this symbol, or copies as many bytes the same way, or fills as
/// many bytes. Work of a run that belongs to no step is counted in `dropped`. Work outside of all runs is
/// left out: it prepared them.
void add_runs(const std::vector<NotedRun>& noted, const TraceRecords& records,
              const std::vector<std::string>& symbols, ProgramTimeline& program);

}  // namespace warptune::profiling::tracing
