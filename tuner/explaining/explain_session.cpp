#include "tuner/explaining/explain_session.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "profiling/roofs/host_rates.h"
#include "search/analysis/parameter_effects.h"
#include "tuner/gpus/gpu_turn.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/environment_changes.h"
#include "tuner/knowledge/renamed_rows.h"

namespace warptune::tuner::explaining {

namespace {

// Measures configurations that have no row, for the path between two configurations (docs/explain.md). It
// uses a GPU of this machine, which is set up when the first of them is needed.
class MissingSteps {
 public:
  MissingSteps(const ExplainRequest& request, const knowledge::KnownRows& known, gpus::LocalGpus& gpus,
               session::SessionListener& listener, const base::Cancellation& cancellation)
      : request_(request), known_(known), gpus_(gpus), listener_(listener), cancellation_(cancellation) {}

  // Says to the user what could not be measured.
  const std::string& note() const { return note_; }
  std::optional<std::int64_t> session() { return session_ ? session_->runner().session_id() : std::nullopt; }

  std::vector<model::Measurement> measure(const std::vector<model::NamedValues>& missing) {
    if (!std::exchange(tried_, true)) set_up();
    if (!session_) return {};
    std::vector<model::Measurement> rows = session_->runner().measure(missing);
    if (session_->runner().out_of_budget())
      note_ = fmt::format("--budget {} was spent before every step of the path was measured",
                          request_.measurement.budget.text);
    return rows;
  }

  // If the definition is a host program, records what it does with the configurations at both ends of the
  // path. Ends the session first, because the session holds the GPU.
  void trace_ends(Explanation& explanation) {
    if (!known_.instance || !is_host_program(*known_.instance)) return;
    session_.reset();
    const model::Workload& workload = known_.recording.workload;
    const std::optional<int> device =
        session::find_device(gpus_.list(), request_.measurement.device, workload.gpu);
    if (!device) {
      explanation.notes.push_back(
          fmt::format("no {} here: the steps of the host program are not recorded", workload.gpu.name));
      return;
    }
    const gpus::GpuTurn turn({*device}, cancellation_);
    const auto trace = [&](const std::optional<model::Measurement>& end) -> std::optional<TracedProgram> {
      if (!end || !search::analysis::has_time(*end) || cancellation_.is_cancelled()) return std::nullopt;
      TracingOptions options{*device, request_.measurement.measuring,
                             profiling::roofs::measured_host(gpus::stored_roofs(
                                 knowledge::database_path(request_.workload.database), workload.gpu))};
      options.measuring.cache = workload.cache;
      return trace_program(*known_.instance, end->configuration, options);
    };
    explanation.from_program = trace(explanation.from);
    explanation.to_program = trace(explanation.to);
  }

 private:
  void set_up() {
    const model::Workload& workload = known_.recording.workload;
    const std::optional<int> device =
        session::find_device(gpus_.list(), request_.measurement.device, workload.gpu);
    if (!device) {
      note_ = fmt::format("no {} here: steps without a measurement are left out", workload.gpu.name);
      return;
    }
    session::MeasurementRequest measurement = request_.measurement;
    measurement.measuring.cache = workload.cache;
    session_.emplace(measurement, *known_.instance, "explain", *device, gpus_, listener_, cancellation_);
    if (!session_->has_begun()) session_.reset();  // Cancelled while another session used the GPU.
  }

  const ExplainRequest& request_;
  const knowledge::KnownRows& known_;
  gpus::LocalGpus& gpus_;
  session::SessionListener& listener_;
  const base::Cancellation& cancellation_;
  bool tried_ = false;
  std::string note_;
  std::optional<session::MeasurementSession> session_;
};

std::optional<model::Measurement> looked_up(const db::Store& store, const model::Workload& workload,
                                            const model::NamedValues& configuration) {
  std::optional<db::StoredMeasurement> row = store.latest_measurement(workload, configuration);
  if (!row) return std::nullopt;
  return std::move(row->measurement);
}

// What differs between the environment in which the best was measured and the present one. Empty if no
// difference is known.
std::string note_of_environment(const knowledge::KnownRows& known, const std::string& kernel,
                                const gpus::MachineReader& read_machine) {
  if (!known.winner) return "";
  const gpus::PresentMachine here = read_machine({known.recording.workload.gpu});
  return knowledge::environment_note(knowledge::environment_differences(*known.winner, known.newest, here),
                                     *known.winner, kernel, true);
}

}  // namespace

ExplainOutcome explain(const ExplainRequest& request, session::SessionListener& listener,
                       const base::Cancellation& cancellation, const gpus::MachineReader& read_machine) {
  gpus::LocalGpus gpus;
  ExplainOutcome outcome;
  outcome.known = knowledge::require_known_rows(
      request.workload, [&] { return gpus.list(); }, gpus::recognise_local_gpu);
  const knowledge::KnownRows& known = outcome.known;
  MissingSteps steps(request, known, gpus, listener, cancellation);
  ExplanationRequest wanted;
  wanted.from = request.from;
  wanted.to = request.to;
  wanted.seed = request.measurement.measuring.seed;
  wanted.instance = known.instance.get();
  wanted.best = known.best;
  wanted.compile_cache = request.measurement.measuring.compile_cache;
  std::optional<db::Store> store;
  if (known.total_rows) {
    store = knowledge::open_database(knowledge::database_path(request.workload.database));
    wanted.look_up = [&](const model::NamedValues& configuration) {
      return looked_up(*store, known.recording.workload, configuration);
    };
  }
  if (request.measure && !knowledge::names_recording(request.workload.kernel))
    wanted.measure = [&](const std::vector<model::NamedValues>& missing) { return steps.measure(missing); };
  outcome.explanation = explain(known.recording, wanted);
  if (const std::string note = note_of_environment(known, request.workload.kernel, read_machine);
      !note.empty())
    outcome.explanation.notes.push_back("the best was " + note);
  if (known.total_rows)
    outcome.explanation.notes.push_back(
        "computed from " + knowledge::sample_text(known.recording.measurements.size(), *known.total_rows) +
        "; the path also looks up rows outside the sample");
  if (!steps.note().empty()) outcome.explanation.notes.push_back(steps.note());
  outcome.session = steps.session();
  if (wanted.measure) steps.trace_ends(outcome.explanation);
  return outcome;
}

}  // namespace warptune::tuner::explaining
