#pragma once

#include "model/fields.h"
#include "profiling/tracing/program_timeline.h"

/// Lists the members of a traced program with the names that they have in messages between processes.
/// `model/fields.h` does the same for measurements.
namespace warptune::profiling::tracing {

template <model::MaybeConst<ProgramStep> Object, class Visit>
void visit_fields(Object& step, Visit&& visit) {
  visit("kind", step.kind);
  visit("text", step.text);
  visit("stream", step.stream);
  visit("bytes", step.bytes);
  visit("from", step.from);
  visit("to", step.to);
}

template <model::MaybeConst<TracedKernel> Object, class Visit>
void visit_fields(Object& kernel, Visit&& visit) {
  visit("name", kernel.name);
  visit("grid_x", kernel.grid[0]);
  visit("grid_y", kernel.grid[1]);
  visit("grid_z", kernel.grid[2]);
  visit("block_x", kernel.block[0]);
  visit("block_y", kernel.block[1]);
  visit("block_z", kernel.block[2]);
  visit("cluster_x", kernel.cluster[0]);
  visit("cluster_y", kernel.cluster[1]);
  visit("cluster_z", kernel.cluster[2]);
  visit("registers", kernel.registers);
  visit("static_shared", kernel.static_shared);
  visit("dynamic_shared", kernel.dynamic_shared);
  visit("local_bytes", kernel.local_bytes);
}

template <model::MaybeConst<TimeSpan> Object, class Visit>
void visit_fields(Object& span, Visit&& visit) {
  visit("start", span.start_ns);
  visit("end", span.end_ns);
}

template <model::MaybeConst<GpuWork> Object, class Visit>
void visit_fields(Object& work, Visit&& visit) {
  visit("step", work.step);
  visit("kernel", work.kernel);
  visit("time", work.time);
}

template <model::MaybeConst<ProgramRun> Object, class Visit>
void visit_fields(Object& run, Visit&& visit) {
  visit("duration", run.duration_ns);
  visit("calls", run.calls);
  visit("work", run.work);
}

template <model::MaybeConst<ProgramTimeline> Object, class Visit>
void visit_fields(Object& timeline, Visit&& visit) {
  visit("steps", timeline.steps);
  visit("kernels", timeline.kernels);
  visit("streams", timeline.streams);
  visit("graph", timeline.graph);
  visit("timed_by_host", timeline.timed_by_host);
  visit("runs", timeline.runs);
  visit("dropped", timeline.dropped);
  visit("problem", timeline.problem);
}

}  // namespace warptune::profiling::tracing
