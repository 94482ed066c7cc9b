#include "tuner/lab/lab_session.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::lab {

namespace {

using model::Measurement;
using model::Recording;

// The failed rows of a kernel that cannot be set up. The experiment continues with its other kernels.
std::vector<Measurement> failed_rows(const LabSession& session, const std::string& reason) {
  std::vector<Measurement> rows;
  for (const model::NamedValues& configuration : session.configurations) {
    Measurement& row = rows.emplace_back();
    row.configuration = configuration;
    row.status = model::Status::kLaunchFailed;
    row.reason = reason;
  }
  return rows;
}

}  // namespace

std::optional<LabResult> measure_experiment(const kernel_templates::Experiment& experiment,
                                            const session::MeasurementRequest& request, int ordinal,
                                            gpus::LocalGpus& gpus, session::SessionListener& listener,
                                            const base::Cancellation& cancellation) {
  LabPlan plan = plan_experiment(experiment, gpus.list().gpus.at(static_cast<std::size_t>(ordinal)));
  std::vector<Recording> recordings;
  for (const LabSession& session : plan.sessions) {
    Recording& recording = recordings.emplace_back();
    knowledge::describe_workload(recording, *session.instance, session.cache);
    if (session.configurations.empty()) continue;
    listener.on_event(session::ExperimentPartBegan{experiment.name, session.name, recordings.size(),
                                                   plan.sessions.size(), session.configurations.size()});
    session::MeasurementRequest part = request;
    part.measuring.cache = session.cache;
    part.measuring.metrics = session.metrics;
    part.measuring.measure_error = true;
    try {
      session::MeasurementSession measuring(part, *session.instance, "lab", ordinal, gpus, listener,
                                            cancellation);
      if (!measuring.has_begun()) return std::nullopt;
      recording.measurements = measuring.runner().measure(session.configurations);
      if (cancellation.is_cancelled()) return std::nullopt;
      recording.roofs = measuring.evaluator().roofs();
      recording.environment = measuring.evaluator().environment();
    } catch (const base::InputError& error) {
      listener.on_event(
          session::SessionWarning{fmt::format("{}: {}", session.instance->definition().name, error.what())});
      recording.measurements = failed_rows(session, error.message());
    }
  }
  return lab_result(std::move(plan), std::move(recordings));
}

}  // namespace warptune::tuner::lab
