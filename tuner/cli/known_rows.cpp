#include "tuner/cli/known_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "db/recording_file.h"
#include "kernel_templates/library.h"
#include "search/analysis/timed_rows.h"
#include "tuner/cli/subjects.h"

namespace warptune::tuner::cli {

namespace fs = std::filesystem;
using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using search::NamedValues;

namespace {

void forbid_change(const Options& options, const std::string& kernel, const search::Recording& recording) {
  const auto refuse = [&](const std::string& option, const std::string& recorded) {
    throw base::InputError(fmt::format("--{}: the recording {} is of {}", option, kernel, recorded));
  };
  if (options.has("cache") && cache_state_of(options) != recording.subject.cache)
    refuse("cache", fmt::format("a {} cache", search::to_string(recording.subject.cache)));
  if (options.has("gpu")) refuse("gpu", recording.subject.gpu.name);
  if (options.has("db")) throw base::InputError("--db: a recording needs no database");
  for (const auto& [name, value] : options.assignments("size")) {
    const search::Value* recorded = search::find(recording.subject.problem, name);
    if (recorded == nullptr || search::to_text(*recorded) != search::to_text(value))
      refuse("size", search::to_text(recording.subject.problem));
  }
}

// The shipped kernel that a recording is of, if its source is still the same.
std::unique_ptr<KernelInstance> shipped_instance(const search::Subject& subject) {
  const std::vector<std::string> shipped = kernel_templates::shipped_kernels();
  if (std::find(shipped.begin(), shipped.end(), subject.kernel) == shipped.end()) return nullptr;
  KernelDefinition definition = kernel_templates::load_kernel(subject.kernel);
  if (definition.hash != subject.kernel_hash) return nullptr;
  try {
    return std::make_unique<KernelInstance>(std::move(definition), subject.problem, subject.gpu);
  } catch (const base::InputError& error) {  // The hash says nothing of a damaged problem.
    base::log_debug(fmt::format("no definition for the recording: {}", error.what()));
    return nullptr;
  }
}

KnownRows rows_of_recording(const Options& options, const std::string& kernel) {
  KnownRows known;
  known.recording = db::read_any_recording(kernel);
  forbid_change(options, kernel, known.recording);
  known.instance = shipped_instance(known.recording.subject);
  if (const search::Measurement* fastest = search::analysis::fastest_of(known.recording))
    known.best = fastest->configuration;
  known.origin = "the recording " + fs::path(kernel).filename().string();
  return known;
}

KnownRows rows_of_database(const Options& options, const std::string& kernel) {
  KnownRows known;
  KernelDefinition definition = kernel_templates::load_kernel(kernel);
  const db::Store store = db::Store::open_existing(database_path(options));
  const ChosenGpu chosen = choose_gpu(options.text("gpu"), store);
  known.instance =
      std::make_unique<KernelInstance>(std::move(definition), options.assignments("size"), chosen.gpu);
  known.origin = "the database";
  describe_subject(known.recording, *known.instance, cache_state_of(options));
  search::Recording& recording = known.recording;
  for (db::Session& session : store.sessions()) {
    if (is_same_subject(session.subject, recording.subject)) known.sessions.push_back(std::move(session));
  }
  if (!known.sessions.empty()) recording.environment = known.sessions.back().environment;
  recording.roofs =
      known_roofs(store, chosen.gpu, known.sessions.empty() ? search::Roofs() : known.sessions.back().roofs);
  for (db::StoredMeasurement& row : store.measurements(recording.subject))
    recording.measurements.push_back(std::move(row.measurement));
  for (const db::Winner& winner : store.winners(recording.subject.kernel, recording.subject.kernel_hash)) {
    if (is_same_subject(winner.subject, recording.subject)) known.best = winner.best.configuration;
  }
  return known;
}

}  // namespace

void describe_subject(search::Recording& recording, const KernelInstance& instance,
                      search::CacheState cache) {
  recording.subject = {instance.definition().name, instance.definition().hash, instance.problem(),
                       instance.gpu(), cache};
  recording.parameters = instance.space().parameters();
  recording.constraints = instance.space().constraints();
  recording.constants = instance.constants();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
}

bool is_same_subject(const search::Subject& a, const search::Subject& b) {
  return a.kernel_hash == b.kernel_hash && a.cache == b.cache && a.gpu.key() == b.gpu.key() &&
         search::key_of(a.problem) == search::key_of(b.problem);
}

search::Roofs known_roofs(const db::Store& store, const search::GpuDescription& gpu,
                          const search::Roofs& of_session) {
  const std::vector<search::RoofReading> measured = store.roofs(gpu);
  return measured.empty() ? of_session : search::roofs_of(measured, gpu);
}

bool names_recording(const std::string& kernel) {
  const fs::path path(kernel);
  std::error_code ignored;
  return path.extension() != ".cu" && path.extension() != ".toml" && fs::is_regular_file(path, ignored);
}

Options& subject_options(Options& options) {
  return options.values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("gpu", "NAME", "a GPU of the database; default this machine's, else the newest session's")
      .value("cache", "cold|warm", "timed from a cold or a warm L2 cache", "cold")
      .database();
}

KnownRows load_known_rows(const Options& options, const std::string& kernel) {
  return names_recording(kernel) ? rows_of_recording(options, kernel) : rows_of_database(options, kernel);
}

KnownRows require_known_rows(const Options& options, const std::string& kernel) {
  KnownRows known = load_known_rows(options, kernel);
  if (!known.recording.measurements.empty()) return known;
  const search::Subject& subject = known.recording.subject;
  if (names_recording(kernel)) throw base::WorkError(fmt::format("{} holds no configuration", known.origin));
  throw base::WorkError(fmt::format(
      "nothing was measured of {} {} on {} from a {} L2 cache; run warptune tune {}", subject.kernel,
      search::to_text(subject.problem), subject.gpu.name, search::to_string(subject.cache), kernel));
}

std::string heading_of(const search::Recording& recording) {
  const search::Subject& subject = recording.subject;
  std::string text = subject.kernel.empty() ? "a kernel without a name" : subject.kernel;
  if (!subject.problem.empty()) text += " " + search::to_text(subject.problem);
  text += " on " + (subject.gpu.name.empty() ? "a GPU without a name" : subject.gpu.name);
  if (!recording.listed) text += fmt::format(", timed from a {} L2 cache", search::to_string(subject.cache));
  return text;
}

}  // namespace warptune::tuner::cli
