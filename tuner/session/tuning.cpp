#include "tuner/session/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/inspection/entry_findings.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/row_sources.h"
#include "tuner/carrying/session_rows.h"
#include "tuner/evaluation/paced_evaluator.h"
#include "tuner/evaluation/replay_evaluator.h"
#include "tuner/gpus/gpu_turn.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/shipped_recordings.h"
#include "tuner/knowledge/workload.h"
#include "tuner/session/check_cases.h"
#include "tuner/session/recording_fit.h"
#include "tuner/workers/process_evaluator.h"

namespace warptune::tuner::session {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNeedsGpu = "run this on a machine with a GPU";

void require_work_for_roof_goal(const SessionPlan& plan) {
  if (!plan.goal.roof_share || plan.work.flops > 0.0 || plan.work.bytes > 0.0) return;
  throw base::InputError(fmt::format("--until {}: {} has no [work], so there is no roof to reach",
                                     plan.goal.text, plan.workload.kernel));
}

// A session that was cancelled before it had its turn: nothing is launched or stored.
TuningOutcome interrupted(SessionPlan plan, model::NamedValues constants, std::vector<int> ordinals) {
  TuningOutcome outcome{std::move(plan), std::move(ordinals), std::move(constants), {}, {}, {}, {}, 0};
  outcome.result.interrupted = true;
  return outcome;
}

}  // namespace

void require_time_for_roof_goal(const SearchRequest& search) {
  if (!search.goal.roof_share || search.objective.is_time()) return;
  throw base::InputError(fmt::format("--until {} is a share of the time, but --objective is {}",
                                     search.goal.text, search.objective.text()));
}

struct Tuning::State {
  explicit State(TuningRequest asked) : request(std::move(asked)) {
    require_time_for_roof_goal(request.search);
    require_measured_demand(request);
    // A configuration that is slower than one with other bits may be the best of those that are wanted.
    if (request.search.reproducible) request.measuring.thorough = true;
    if (!request.recording) local_gpus.start();  // The worker loads the driver meanwhile.
    if (request.recording) read_recording();
    if (!recording || !is_defined_by_recording()) read_definition();
    if (!request.recording) choose_gpus();
    require_fitting_contents();
  }

  void read_definition() {
    definition.emplace(kernel_templates::load_kernel(request.kernel, request.permissions));
    kernel_templates::use_given_contents(*definition, request.contents);
  }

  void require_fitting_contents() {
    if (!definition || !kernel_templates::reads_files(*definition)) return;
    if (recording && definition->given.empty()) return;  // A recording needs no data.
    const auto gpu = [&] {
      if (recording) return recording->workload.gpu;
      return models.empty() ? model::fictional_gpu()
                            : local_gpus.list().gpus[static_cast<std::size_t>(models.front().front())];
    };
    kernel_templates::require_contents_fit({*definition, request.sizes, gpu()});
  }

  void warn_of_definition(SessionListener& listener) const {
    if (!definition) return;
    for (const kernel_templates::DefinitionWarning& warning : kernel_templates::warnings_of(*definition))
      listener.on_event(SessionWarning{kernel_templates::to_string(warning)});
  }

  void read_recording() {
    recording = knowledge::with_present_names(db::read_any_recording(*request.recording));
  }

  // Whether only the recording knows the kernel: its name is neither a path nor that of a shipped kernel.
  bool is_defined_by_recording() const {
    return recording->workload.kernel == request.kernel &&
           !kernel_templates::is_kernel_path(request.kernel) &&
           !base::contains(kernel_templates::shipped_kernels(), request.kernel);
  }

  void choose_gpus() {
    const profiling::GpuList& list = local_gpus.list();
    if (list.gpus.empty()) return replay_instead(list.reason);
    base::log_debug("the GPUs are enumerated and the kernel is read");
    models = gpus::devices_by_model(list.gpus, request.devices.resolve(list.gpus.size()));
  }

  // Replays a shipped recording if one holds exactly what is asked for. Otherwise the error is a
  // `MachineError`, no matter what differs, so that scripts can rely on its kind.
  void replay_instead(const std::string& reason) {
    // A wrong definition or size is reported even if no GPU could run it.
    const kernel_templates::KernelInstance instance(*definition, request.sizes, model::fictional_gpu());
    if (request.measure_only) throw base::MachineError(fmt::format("no GPU: {}", reason), kNeedsGpu);
    std::string shipped;
    for (const fs::path& file : knowledge::shipped_recordings(definition->name)) {
      const model::Recording held = knowledge::with_present_names(db::read_recording(file));
      const std::string why = why_not_held(held, request, instance);
      if (why.empty()) {
        request.recording = file;
        replayed_instead = ReplayedInstead{reason, file.filename().string()};
        return;
      }
      shipped = fmt::format("; {} {}", file.filename().string(), why);
    }
    throw base::MachineError(
        fmt::format("no GPU: {}; no shipped recording holds exactly what is asked for", reason),
        fmt::format("{}{}", kNeedsGpu, shipped));
  }

  TuningOutcome run(SessionPlan plan, evaluation::Evaluator& evaluator, model::NamedValues constants,
                    std::vector<int> ordinals, SessionListener& listener,
                    const base::Cancellation& cancellation) {
    require_work_for_roof_goal(plan);
    db::Store store = knowledge::open_session_database(request.database);
    SessionResult result = run_session(plan, evaluator, store, listener, cancellation);
    TuningOutcome outcome{
        std::move(plan), std::move(ordinals), std::move(constants), {}, {}, std::move(result), {}, 0};
    if (!evaluator.is_ready()) return outcome;  // The session was cancelled during set-up.
    outcome.roofs = evaluator.roofs();
    outcome.environment = evaluator.environment();
    return outcome;
  }

  std::unique_ptr<evaluation::Evaluator> replay_evaluator() const {
    if (request.pace <= 0.0) return std::make_unique<evaluation::ReplayEvaluator>(*recording);
    return std::make_unique<evaluation::PacedEvaluator>(
        *recording, evaluation::Pace{request.pace, std::max<std::size_t>(1, request.compile_workers)});
  }

  TuningOutcome replay(SessionListener& listener, const base::Cancellation& cancellation) {
    if (replayed_instead) listener.on_event(*replayed_instead);
    const fs::path& file = *request.recording;
    if (!recording) read_recording();
    const model::Workload& recorded = recording->workload;
    require_recording_fits(request, definition ? definition->name : request.kernel, file, recorded);
    if (definition && recorded.kernel_hash != definition->hash) {
      listener.on_event(SessionWarning{fmt::format("{} was recorded with another version of {}'s source",
                                                   file.string(), definition->name)});
    }
    const std::unique_ptr<evaluation::Evaluator> evaluator = replay_evaluator();
    profiling::verification::DeclaredWork declared;
    if (definition)
      declared = profiling::verification::declared_work(*definition, recorded.problem, recording->work);
    TuningOutcome outcome = run({request.search, recorded, recording->space(),
                                 recording->default_configuration, recording->work, true, 0, declared},
                                *evaluator, recording->constants, {}, listener, cancellation);
    outcome.recording = file.filename().string();
    return outcome;
  }

  TuningOutcome measure(const std::vector<int>& ordinals, SessionListener& listener,
                        const base::Cancellation& cancellation) {
    const gpus::GpuTurn turn(ordinals, cancellation);
    const model::GpuDescription& gpu = local_gpus.list().gpus[static_cast<std::size_t>(ordinals.front())];
    kernel_templates::inspection::require_entries(*definition);
    const kernel_templates::KernelInstance instance(*definition, request.sizes, gpu);
    workers::ProcessEvaluatorOptions options = evaluator_options(ordinals, gpu);
    options.cancellation = &cancellation;
    SessionPlan plan{request.search,
                     knowledge::workload_of(instance, request.measuring.cache),
                     instance.space(),
                     instance.default_configuration(),
                     instance.work(),
                     false,
                     kFinalRounds,
                     profiling::verification::declared_work(*definition, instance.problem(), instance.work()),
                     instance.recommended_configuration()};
    require_default_to_compare(plan);
    if (cancellation.is_cancelled()) return interrupted(std::move(plan), instance.constants(), ordinals);
    TuningOutcome outcome = [&] {  // The evaluator's workers end with this block.
      workers::ProcessEvaluator evaluator(instance, options, &local_gpus);
      // Meanwhile the GPU is being set up.
      if (auto advice = carrying::advice_on_other_texts(*definition, plan.workload, request.database))
        listener.on_event(SessionWarning{*std::move(advice)});
      return run(std::move(plan), evaluator, instance.constants(), ordinals, listener, cancellation);
    }();
    if (request.stores_digests)
      carrying::note_code(instance, outcome.plan.workload, session_rows_options(), cancellation);
    if (outcome.result.best)
      outcome.failed_cases =
          failed_cases(outcome.result.best->configuration, options, gpu, listener, cancellation);
    return outcome;
  }

  carrying::SessionRowsOptions session_rows_options() const {
    return {request.database, request.measuring.compile_cache, request.compile_workers};
  }

  workers::ProcessEvaluatorOptions evaluator_options(const std::vector<int>& ordinals,
                                                     const model::GpuDescription& gpu) const {
    workers::ProcessEvaluatorOptions options;
    options.measuring = request.measuring;
    options.compile_workers = request.compile_workers;
    options.timeout = request.timeout;
    options.ordinals = ordinals;
    options.roofs = gpus::stored_roofs(request.database, gpu);
    options.roofs_first = request.search.goal.roof_share.has_value();
    options.judge = request.judge;
    return options;
  }

  // Evaluates the best for the cases of [check], each with a worker of its own.
  std::size_t failed_cases(const model::NamedValues& best, workers::ProcessEvaluatorOptions options,
                           const model::GpuDescription& gpu, SessionListener& listener,
                           const base::Cancellation& cancellation) const {
    options.ordinals.resize(1);
    options.measuring.metrics.clear();
    options.measuring.measure_energy = false;
    options.roofs_first = false;
    const auto evaluate = [&](const kernel_templates::CheckCase& one) -> std::optional<model::Measurement> {
      if (cancellation.is_cancelled()) return std::nullopt;
      model::NamedValues sizes = request.sizes;  // A later entry replaces an earlier one.
      sizes.insert(sizes.end(), one.sizes.begin(), one.sizes.end());
      const kernel_templates::KernelInstance instance(*definition, sizes, gpu);
      const base::Result<model::Configuration> chosen = instance.space().configuration_of(best);
      // The configuration may be invalid for the sizes of this case.
      if (!chosen || !instance.space().contains(*chosen)) return std::nullopt;
      options.measuring.seed = one.seed;
      workers::ProcessEvaluator evaluator(instance, options);
      return evaluate_once(evaluator, best, cancellation);
    };
    return verify_cases(definition->check.cases, evaluate, listener);
  }

  TuningRequest request;
  std::optional<kernel_templates::KernelDefinition> definition;  ///< None if only a recording knows it.
  std::optional<model::Recording> recording;
  gpus::LocalGpus local_gpus;
  std::vector<std::vector<int>> models;  ///< The GPUs' ordinals by model; empty for a replay.
  std::optional<ReplayedInstead> replayed_instead;
};

Tuning::Tuning(TuningRequest request) : state_(std::make_unique<State>(std::move(request))) {}

Tuning::~Tuning() = default;

std::size_t Tuning::session_count() const { return state_->request.recording ? 1 : state_->models.size(); }

TuningOutcome Tuning::run(std::size_t index, SessionListener& listener,
                          const base::Cancellation& cancellation) {
  if (index == 0) state_->warn_of_definition(listener);
  if (state_->request.recording) return state_->replay(listener, cancellation);
  return state_->measure(state_->models.at(index), listener, cancellation);
}

base::WorkError failed_cases_error(std::size_t failed_cases) {
  return base::WorkError(
      fmt::format("the best configuration fails {} of the check's cases; see the warnings, and do not use it",
                  failed_cases));
}

model::Recording recording_of(const TuningOutcome& outcome, const db::Store& store) {
  model::Recording recording;
  recording.workload = outcome.plan.workload;
  recording.parameters = outcome.plan.space.parameters();
  recording.constraints = outcome.plan.space.constraints();
  recording.constants = outcome.constants;
  recording.default_configuration = outcome.plan.default_configuration;
  recording.work = outcome.plan.work;
  recording.roofs = outcome.roofs;
  recording.environment = outcome.environment;
  std::vector<db::StoredMeasurement> rows = store.measurements(outcome.plan.workload);
  model::keep_sources(rows, outcome.plan.source());
  for (db::StoredMeasurement& row : rows) recording.measurements.push_back(std::move(row.measurement));
  return recording;
}

}  // namespace warptune::tuner::session
