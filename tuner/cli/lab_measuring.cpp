#include "tuner/cli/lab_measuring.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "tuner/cli/named_measuring.h"
#include "tuner/interrupt.h"
#include "tuner/workload.h"

namespace warptune::tuner::cli {

namespace {

using search::Measurement;
using search::Recording;

void measure(const Options& options, const LabSession& session, int ordinal, Recording& recording) {
  MeasuringPlan plan;
  plan.instance = session.instance.get();
  plan.cache = session.cache;
  plan.strategy = "lab";
  plan.budget = Budget::parse("all");
  plan.metrics = session.metrics;
  plan.measure_error = true;
  NamedMeasuring measuring(options, plan, ordinal);
  recording.measurements = measuring.rows().measure(session.configurations);
  recording.roofs = measuring.evaluator().roofs();
  recording.environment = measuring.evaluator().environment();
}

// The rest of an experiment goes on without a kernel that fails as a whole.
std::vector<Measurement> failed_rows(const LabSession& session, const std::string& reason) {
  std::vector<Measurement> rows;
  for (const search::NamedValues& configuration : session.configurations) {
    Measurement& row = rows.emplace_back();
    row.configuration = configuration;
    row.status = search::Status::kLaunchFailed;
    row.reason = reason;
  }
  return rows;
}

}  // namespace

std::optional<LabResult> measure_experiment(const Options& options,
                                            const kernel_templates::Experiment& experiment,
                                            const search::GpuDescription& gpu, int ordinal) {
  LabPlan plan = plan_experiment(experiment, gpu);
  std::vector<Recording> recordings;
  for (const LabSession& session : plan.sessions) {
    describe_subject(recordings.emplace_back(), *session.instance, session.cache);
    if (session.configurations.empty()) continue;
    fmt::print(stderr, "{}: {} ({} of {}), {} configurations\n", experiment.name, session.name,
               recordings.size(), plan.sessions.size(), session.configurations.size());
    try {
      measure(options, session, ordinal, recordings.back());
    } catch (const base::InputError& error) {
      base::log_warning(fmt::format("{}: {}", session.instance->definition().name, error.what()));
      recordings.back().measurements = failed_rows(session, error.message());
    }
    if (InterruptGuard::flag().load()) return std::nullopt;
  }
  return lab_result(std::move(plan), std::move(recordings));
}

}  // namespace warptune::tuner::cli
