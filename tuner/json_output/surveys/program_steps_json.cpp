#include "tuner/json_output/surveys/program_steps_json.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tuner/json_output/json_form.h"

namespace warptune::tuner::json_output::surveys {

using explaining::StepGroup;
using explaining::TracedProgram;
using nlohmann::ordered_json;
using profiling::tracing::GpuWork;
using profiling::tracing::ProgramRun;
using profiling::tracing::ProgramStep;
using profiling::tracing::StepKind;

namespace {

ordered_json group_json(const StepGroup& group, bool graph) {
  return {{"kind", to_string(group.kind)},
          {"text", group.text},
          {"count", group.count},
          {"stream_count", group.streams.size()},
          {"bytes", group.bytes},
          {"host_ns", graph ? ordered_json(nullptr) : ordered_json(group.host_ns)},
          {"gpu_ns", group.gpu_ns},
          {"alone_ns", group.alone_ns}};
}

ordered_json step_json(const ProgramStep& step) {
  const bool is_copy = step.kind == StepKind::kCopy;
  return {{"kind", to_string(step.kind)},
          {"text", step.text},
          {"stream", step.stream},
          {"bytes", step.bytes},
          {"from", is_copy ? ordered_json(to_string(step.from)) : ordered_json(nullptr)},
          {"to", is_copy ? ordered_json(to_string(step.to)) : ordered_json(nullptr)}};
}

// The steps of one run, each with its times.
ordered_json steps_json(const TracedProgram& program) {
  const ProgramRun& run = program.typical_run();
  ordered_json steps = ordered_json::array();
  for (std::size_t i = 0; i < program.timeline.steps.size(); ++i) {
    ordered_json step = step_json(program.timeline.steps[i]);
    const bool has_call = !program.timeline.graph;
    step["host_from_ns"] = has_call ? ordered_json(run.calls[i].start_ns) : ordered_json(nullptr);
    step["host_to_ns"] = has_call ? ordered_json(run.calls[i].end_ns) : ordered_json(nullptr);
    step["gpu"] = ordered_json::array();
    steps.push_back(std::move(step));
  }
  for (const GpuWork& work : run.work) {
    steps[work.step]["gpu"].push_back(
        {{"from_ns", work.time.start_ns},
         {"to_ns", work.time.end_ns},
         {"kernel",
          work.kernel ? ordered_json(program.timeline.kernels[*work.kernel].name) : ordered_json(nullptr)}});
  }
  return steps;
}

ordered_json time_json(const survey::analysis::DeviceTime& time) {
  return {{"window_ns", time.window},
          {"kernels_ns", time.kernels},
          {"copies_only_ns", time.copies_only},
          {"idle_ns", time.idle},
          {"overlapped_ns", time.overlapped},
          {"copies_beside_kernels_ns", time.copies_beside_kernels},
          {"copies_could_overlap_ns", time.copies_could_overlap},
          {"streams_could_overlap_ns", time.streams_could_overlap}};
}

ordered_json program_finding_json(const survey::analysis::Finding& finding) {
  return {{"rule", finding.rule},
          {"title", finding.title},
          {"bound_ratio", finding.bound},
          {"evidence", finding.evidence},
          {"advice", finding.advice}};
}

}  // namespace

ordered_json program_steps_json(const std::optional<TracedProgram>& program) {
  if (!program) return nullptr;
  const bool has_runs = !program->timeline.runs.empty();
  ordered_json report = {{"problem", text_or_null(program->timeline.problem)},
                         {"run_count", program->timeline.runs.size()},
                         {"stream_count", program->timeline.streams},
                         {"graph", program->timeline.graph},
                         {"dropped_count", program->timeline.dropped}};
  report["median_ns"] = has_runs ? ordered_json(program->typical_run().duration_ns) : ordered_json(nullptr);
  report["graph_launch_ns"] = has_runs && program->timeline.graph
                                  ? ordered_json(program->typical_run().calls.front().duration_ns())
                                  : ordered_json(nullptr);
  report["groups"] = ordered_json::array();
  for (const StepGroup& group : program->groups)
    report["groups"].push_back(group_json(group, program->timeline.graph));
  report["steps"] = has_runs ? steps_json(*program) : ordered_json(nullptr);
  report["time"] = program->time ? time_json(*program->time) : ordered_json(nullptr);
  report["findings"] = ordered_json::array();
  for (const survey::analysis::Finding& finding : program->findings)
    report["findings"].push_back(program_finding_json(finding));
  return report;
}

}  // namespace warptune::tuner::json_output::surveys
