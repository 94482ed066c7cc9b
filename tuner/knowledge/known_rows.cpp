#include "tuner/knowledge/known_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "db/recording_file.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "model/row_sources.h"
#include "model/size_text.h"
#include "search/analysis/timed_rows.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::knowledge {

namespace fs = std::filesystem;
using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;

namespace {

// A recording answers only questions about its own workload.
void require_same_workload(const WorkloadQuestion& question, const model::Workload& recorded) {
  const auto refuse = [&](const std::string& option, const std::string& found) {
    throw base::InputError(
        fmt::format("--{}: the recording {} was measured with {}", option, question.kernel, found));
  };
  if (question.cache && *question.cache != recorded.cache)
    refuse("cache", std::string(model::l2_text(recorded.cache)));
  if (question.gpu) refuse("gpu", recorded.gpu.name);
  if (question.database) throw base::InputError("--db: a recording needs no database");
  for (const auto& [name, value] : question.sizes) {
    const model::Value* size = model::find(recorded.problem, name);
    if (size == nullptr || !model::is_size(value, *size)) refuse("size", model::to_text(recorded.problem));
  }
}

// The shipped kernel of a recording, if its source is still the same.
std::unique_ptr<KernelInstance> shipped_instance(const model::Workload& workload) {
  const std::vector<std::string> shipped = kernel_templates::shipped_kernels();
  if (std::find(shipped.begin(), shipped.end(), workload.kernel) == shipped.end()) return nullptr;
  KernelDefinition definition = kernel_templates::load_kernel(workload.kernel);
  if (definition.hash != workload.kernel_hash) return nullptr;
  try {
    return std::make_unique<KernelInstance>(std::move(definition), workload.problem, workload.gpu);
  } catch (const base::InputError& error) {
    // The hash does not cover the problem, so the definition may not allow the recorded one.
    base::log_debug(fmt::format("no definition for the recording: {}", error.what()));
    return nullptr;
  }
}

// Adds the stored rows of the workload that `known.recording` describes.
void add_stored(KnownRows& known, const db::Store& store) {
  model::Recording& recording = known.recording;
  const model::Workload& workload = recording.workload;
  known.sessions = store.sessions(workload);
  model::Roofs of_session;
  if (const db::Session* session = model::last_of_best_source(known.sessions)) {
    recording.environment = session->environment;
    of_session = session->roofs;
  }
  recording.roofs = gpus::known_roofs(store, workload.gpu, of_session);
  db::MeasurementSample sample =
      store.sampled_measurements(workload, kMaxShownRows, recording.default_configuration);
  if (!sample.is_whole()) known.total_rows = sample.known;
  for (db::StoredMeasurement& row : sample.rows) recording.measurements.push_back(std::move(row.measurement));
  for (db::Winner& winner : store.winners(workload.kernel, workload.kernel_hash)) {
    if (!is_same_workload(winner.workload, workload)) continue;
    known.best = winner.best.configuration;
    known.winner = std::move(winner);
  }
  known.newest = store.newest_measured_session(workload.gpu.key());
}

}  // namespace

bool names_recording(const std::string& kernel) {
  const fs::path path(kernel);
  std::error_code ignored;
  return path.extension() != ".cu" && path.extension() != ".toml" && fs::is_regular_file(path, ignored);
}

KnownRows recorded_rows(const WorkloadQuestion& question) {
  KnownRows known;
  known.recording = with_present_names(db::read_any_recording(question.kernel));
  require_same_workload(question, known.recording.workload);
  known.instance = shipped_instance(known.recording.workload);
  if (const model::Measurement* fastest = search::analysis::fastest_of(known.recording))
    known.best = fastest->configuration;
  known.origin = "the recording " + fs::path(question.kernel).filename().string();
  return known;
}

KnownRows stored_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus,
                      const gpus::GpuRecogniser& recognise) {
  KernelDefinition definition = kernel_templates::load_kernel(question.kernel, question.permissions);
  kernel_templates::log_warnings_of(definition);
  const db::Store store = open_database(database_path(question.database));
  const gpus::ChosenGpu chosen = gpus::choose_gpu(question.gpu, store, list_gpus, recognise);
  KnownRows known;
  known.instance = std::make_unique<KernelInstance>(std::move(definition), question.sizes, chosen.gpu);
  known.origin = "the database";
  describe_workload(known.recording, *known.instance, question.cache.value_or(model::CacheState::kCold));
  add_stored(known, store);
  return known;
}

KnownRows load_known_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus,
                          const gpus::GpuRecogniser& recognise) {
  return names_recording(question.kernel) ? recorded_rows(question)
                                          : stored_rows(question, list_gpus, recognise);
}

std::string sample_text(std::uint64_t shown, std::uint64_t known) {
  return fmt::format(
      "a sample of {} of {} configurations (the fastest, and a random choice of the others; the same each "
      "time)",
      shown, known);
}

void require_rows(const KnownRows& known, const WorkloadQuestion& question) {
  if (!known.recording.measurements.empty()) return;
  if (names_recording(question.kernel))
    throw base::WorkError(fmt::format("{} holds no configuration", known.origin));
  const model::Workload& workload = known.recording.workload;
  throw base::WorkError(fmt::format("nothing was measured for {} {} on {} from {}; run `{}`", workload.kernel,
                                    model::to_text(workload.problem), workload.gpu.name,
                                    model::l2_text(workload.cache),
                                    tune_command(question.kernel, workload.problem, workload.cache)));
}

KnownRows require_known_rows(const WorkloadQuestion& question, const gpus::GpuLister& list_gpus,
                             const gpus::GpuRecogniser& recognise) {
  KnownRows known = load_known_rows(question, list_gpus, recognise);
  require_rows(known, question);
  return known;
}

}  // namespace warptune::tuner::knowledge
