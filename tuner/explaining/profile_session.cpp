#include "tuner/explaining/profile_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "db/store.h"
#include "profiling/counters/metrics.h"
#include "profiling/roofs/host_rates.h"
#include "search/analysis/parameter_effects.h"
#include "tuner/explaining/diagnosis_input.h"
#include "tuner/explaining/hot_lines.h"
#include "tuner/explaining/profiled_workload.h"
#include "tuner/gpus/gpu_turn.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::explaining {

namespace {

using model::Measurement;
using model::NamedValues;

profiling::diagnosis::ProfiledLaunch launch_of(const knowledge::KnownRows& known, Measurement measurement) {
  profiling::diagnosis::ProfiledLaunch launch;
  launch.gpu = known.recording.workload.gpu;
  launch.work = known.recording.work;
  launch.roofs = known.recording.roofs;
  if (known.instance) {
    const auto plan = known.instance->launch_plan(measurement.configuration);
    if (plan && plan->main_launch() != nullptr) launch.launch = *plan->main_launch();
  }
  launch.measurement = std::move(measurement);
  return launch;
}

[[noreturn]] void throw_failure_of(const Measurement& row) {
  throw base::WorkError(
      fmt::format("{}: {}: {}", model::to_text(row.configuration), model::to_string(row.status), row.reason));
}

// The message for a recording does not suggest to measure, because nothing can be added to a recording.
Profile stored_profile(const knowledge::KnownRows& known, const ChosenConfiguration& choice,
                       bool is_recording) {
  const model::Workload& workload = known.recording.workload;
  const Measurement* row = model::RecordingIndex(known.recording).find(choice.configuration);
  if (row == nullptr && is_recording) {
    throw base::WorkError(
        fmt::format("{} has no measurement of {}", known.origin, model::to_text(choice.configuration)));
  }
  if (row == nullptr) {
    throw base::WorkError(
        fmt::format("{} has no measurement of {} for {} {} from {}; without --stored, profile "
                    "measures it on a "
                    "machine with an {}",
                    known.origin, model::to_text(choice.configuration), workload.kernel,
                    model::to_text(workload.problem), model::l2_text(workload.cache), workload.gpu.name));
  }
  if (!search::analysis::has_time(*row)) throw_failure_of(*row);
  Profile profile;
  profile.workload = workload;
  profile.launch = launch_of(known, *row);
  profile.which = choice.which;
  profile.origin = fmt::format("counters as stored by {}", known.origin);
  return profile;
}

class ProfileSession {
 public:
  ProfileSession(const ProfileRequest& request, session::SessionListener& listener,
                 const base::Cancellation& cancellation)
      : request_(request), listener_(listener), cancellation_(cancellation) {}

  std::optional<Profile> run() {
    known_ = find_profiled_workload(request_, gpus_, listener_);
    const ChosenConfiguration choice = choose_configuration(request_, known_);
    const std::optional<int> ordinal = choose_device();
    const bool is_recording = knowledge::names_recording(request_.workload.kernel);
    std::optional<Profile> profile =
        ordinal ? measure(choice, *ordinal) : stored_profile(known_, choice, is_recording);
    if (!profile) return std::nullopt;
    profile->heading = knowledge::heading_of(known_.recording);
    if (request_.hot_lines) profile->hot_lines = sample(choice.configuration, ordinal);
    if (known_.instance && is_host_program(*known_.instance))
      profile->program = trace(choice.configuration, ordinal);
    profile->diagnosis = diagnosis_of(profile->launch.measurement);
    return profile;
  }

 private:
  std::optional<int> choose_device() {
    if (knowledge::names_recording(request_.workload.kernel) || request_.stored || known_.instance == nullptr)
      return std::nullopt;
    const model::GpuDescription& gpu = known_.recording.workload.gpu;
    const std::optional<int> ordinal = session::find_device(gpus_.list(), request_.measurement.device, gpu);
    if (!ordinal && !known_.recording.measurements.empty())
      listener_.on_event(session::StoredShownInstead{gpu.name});
    return ordinal;
  }

  session::MeasurementRequest measurement() const {
    session::MeasurementRequest measurement = request_.measurement;
    measurement.measuring.cache = known_.recording.workload.cache;
    measurement.measuring.metrics = profiling::counters::full_metrics();
    measurement.measuring.measure_energy = true;
    return measurement;
  }

  // Returns `std::nullopt` when it is cancelled first.
  std::optional<Profile> measure(const ChosenConfiguration& choice, int ordinal) {
    const session::MeasurementRequest wanted = measurement();
    session::MeasurementSession session(wanted, *known_.instance, "profile", ordinal, gpus_, listener_,
                                        cancellation_);
    if (!session.has_begun()) return std::nullopt;
    std::vector<Measurement> rows = session.runner().measure({choice.configuration});
    if (rows.empty()) return std::nullopt;
    if (rows.front().status != model::Status::kMeasured) throw_failure_of(rows.front());
    known_.recording.roofs = session.evaluator().roofs();
    const std::string key = model::key_of(choice.configuration);
    std::erase_if(known_.recording.measurements,
                  [&](const Measurement& row) { return model::key_of(row.configuration) == key; });
    known_.recording.measurements.push_back(rows.front());
    Profile profile;
    profile.workload = known_.recording.workload;
    profile.launch = launch_of(known_, std::move(rows.front()));
    profile.which = choice.which;
    const bool counted = profile.launch.measurement.counters.contains("smsp__inst_executed.sum");
    profile.passes =
        counted ? profiling::counters::plan_passes(profile.workload.gpu.chip, wanted.measuring.metrics).passes
                : 0;
    profile.origin = counted ? "just measured" : "just measured, without counters";
    return profile;
  }

  profiling::HotLines sample(const NamedValues& configuration, std::optional<int> ordinal) const {
    profiling::HotLines none;
    none.problem = "sampling needs a GPU, but these counters are stored ones";
    if (!ordinal) return none;
    const gpus::GpuTurn turn({*ordinal}, cancellation_);
    if (cancellation_.is_cancelled()) {
      none.problem = "sampling was cancelled";
      return none;
    }
    return sample_hot_lines(*known_.instance, configuration, {*ordinal, measurement().measuring});
  }

  TracedProgram trace(const NamedValues& configuration, std::optional<int> ordinal) const {
    TracedProgram none;
    if (!ordinal) {
      none.timeline = profiling::tracing::not_traced(
          "its steps are recorded on a GPU, but these counters are stored ones");
      return none;
    }
    const gpus::GpuTurn turn({*ordinal}, cancellation_);
    if (!cancellation_.is_cancelled())
      return trace_program(*known_.instance, configuration,
                           {*ordinal, measurement().measuring, measured_host()});
    none.timeline = profiling::tracing::not_traced("it was cancelled");
    return none;
  }

  profiling::roofs::MeasuredHost measured_host() const {
    return profiling::roofs::measured_host(gpus::stored_roofs(
        knowledge::database_path(request_.workload.database), known_.recording.workload.gpu));
  }

  profiling::diagnosis::Diagnosis diagnosis_of(const Measurement& measurement) const {
    const search::analysis::TimedRows rows = search::analysis::timed_rows(known_.recording);
    const search::analysis::ParameterEffects effects(rows);
    return profiling::diagnosis::diagnose(
        diagnosis_input(known_.recording, measurement, &effects, known_.instance.get()));
  }

  const ProfileRequest& request_;
  session::SessionListener& listener_;
  const base::Cancellation& cancellation_;
  gpus::LocalGpus gpus_;
  knowledge::KnownRows known_;
};

}  // namespace

std::optional<Profile> profile(const ProfileRequest& request, session::SessionListener& listener,
                               const base::Cancellation& cancellation) {
  return ProfileSession(request, listener, cancellation).run();
}

}  // namespace warptune::tuner::explaining
