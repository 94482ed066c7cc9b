#include "tuner/report_subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/database_path.h"
#include "tuner/detail/ranking.h"
#include "tuner/known_gpus.h"
#include "tuner/known_winners.h"
#include "tuner/workload.h"

namespace warptune::tuner {

namespace {

bool fits(const search::Subject& subject, const WorkloadSelection& wanted) {
  const bool sizes_fit = std::all_of(wanted.sizes.begin(), wanted.sizes.end(), [&](const auto& size) {
    const search::Value* value = search::find(subject.problem, size.first);
    return value != nullptr && search::to_text(*value) == search::to_text(size.second);
  });
  const bool gpu_fits = !wanted.gpu || is_named(subject.gpu, *wanted.gpu);
  return sizes_fit && gpu_fits && (!wanted.cache || subject.cache == *wanted.cache);
}

// The parameters with the values that rows have, each in ascending order.
std::vector<search::Parameter> parameters_of(const std::vector<search::Measurement>& rows) {
  std::vector<search::Parameter> known;
  for (const search::Measurement& row : rows) {
    for (const auto& [name, value] : row.configuration) {
      const std::string& wanted = name;
      auto place = std::find_if(known.begin(), known.end(),
                                [&](const search::Parameter& parameter) { return parameter.name == wanted; });
      if (place == known.end()) place = known.insert(known.end(), {name, {}, "", {}});
      if (std::find(place->values.begin(), place->values.end(), value) == place->values.end())
        place->values.push_back(value);
    }
  }
  for (search::Parameter& parameter : known) std::sort(parameter.values.begin(), parameter.values.end());
  return known;
}

ReportSession session_of(const db::Store& store, const db::Session& stored) {
  ReportSession session{
      stored.id,       stored.strategy,   stored.seed,        stored.budget,      stored.objective,
      stored.replayed, stored.started_ms, stored.finished_ms, stored.environment, {}};
  std::vector<db::StoredMeasurement> rows = store.session_measurements(stored.id);
  session.measurements.reserve(rows.size());
  for (db::StoredMeasurement& row : rows) {
    row.measurement.counters.clear();
    session.measurements.push_back(std::move(row.measurement));
  }
  return session;
}

// The space that a definition describes for the subject; where it is not the one that was measured, or does
// not take its problem, the space is what was measured.
void add_space(search::Recording& recording, const kernel_templates::KernelDefinition* definition) {
  const search::Subject& subject = recording.subject;
  if (definition != nullptr && definition->hash == subject.kernel_hash) {
    try {
      const kernel_templates::KernelInstance instance(*definition, subject.problem, subject.gpu);
      recording.parameters = instance.space().parameters();
      recording.constraints = instance.space().constraints();
      recording.constants = instance.constants();
      return;
    } catch (const base::InputError& error) {
      base::log_debug(fmt::format("no definition for the subject: {}", error.what()));
    }
  }
  recording.parameters = parameters_of(recording.measurements);
  recording.listed = true;
}

// `sessions` are those of one subject, oldest first.
ReportSubject stored_subject(const db::Store& store, const std::vector<db::Session>& sessions,
                             const kernel_templates::KernelDefinition* definition) {
  const db::Session& newest = sessions.back();
  ReportSubject subject;
  subject.origin = "the database";
  search::Recording& recording = subject.recording;
  recording.subject = newest.subject;
  recording.default_configuration = newest.default_configuration;
  recording.work = newest.work;
  recording.roofs = known_roofs(store, newest.subject.gpu, newest.roofs);
  recording.environment = newest.environment;
  std::vector<db::StoredMeasurement> rows = store.measurements(newest.subject);
  recording.measurements.reserve(rows.size());
  for (const db::StoredMeasurement& row : rows) recording.measurements.push_back(row.measurement);
  add_space(recording, definition);
  const detail::Ranking ranking(std::move(rows), search::Objective(), {});
  if (ranking.best() != nullptr)
    subject.best_configuration = ranking.best()->stored.measurement.configuration;
  subject.sessions.reserve(sessions.size());
  for (const db::Session& session : sessions) subject.sessions.push_back(session_of(store, session));
  return subject;
}

// The definition of a shipped kernel, or nothing.
std::optional<kernel_templates::KernelDefinition> shipped_definition(const std::string& kernel) {
  const std::vector<std::string> shipped = kernel_templates::shipped_kernels();
  if (std::find(shipped.begin(), shipped.end(), kernel) == shipped.end()) return std::nullopt;
  return kernel_templates::load_kernel(kernel);
}

// Subjects of the sessions that `chosen` takes, that of the newest session first. Without a definition
// shipped kernels' are looked at.
template <class Chosen>
std::vector<ReportSubject> stored_subjects(const db::Store& store,
                                           const kernel_templates::KernelDefinition* definition,
                                           Chosen chosen) {
  std::vector<std::vector<db::Session>> groups;
  std::vector<db::Session> sessions = store.sessions();
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const auto& a, const auto& b) { return a.started_ms < b.started_ms; });
  for (db::Session& session : sessions) {
    if (!chosen(session.subject)) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<db::Session>& known) {
      return is_same_subject(known.front().subject, session.subject);
    });
    if (group == groups.end()) group = groups.insert(groups.end(), std::vector<db::Session>());
    group->push_back(std::move(session));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.back().started_ms > b.back().started_ms; });
  std::vector<ReportSubject> subjects;
  subjects.reserve(groups.size());
  for (const std::vector<db::Session>& group : groups) {
    std::optional<kernel_templates::KernelDefinition> shipped;
    if (definition == nullptr) shipped = shipped_definition(group.back().subject.kernel);
    subjects.push_back(stored_subject(store, group, shipped ? &*shipped : definition));
  }
  return subjects;
}

ReportSubject recorded_subject(const WorkloadQuestion& question) {
  KnownRows known = recorded_rows(question);
  require_rows(known, question);
  return subject_of(std::move(known.recording), std::move(known.origin));
}

std::string wish_text(const WorkloadSelection& wanted) {
  std::string text;
  if (!wanted.sizes.empty()) text += " " + search::to_text(wanted.sizes);
  if (wanted.gpu) text += fmt::format(" on {}", *wanted.gpu);
  if (wanted.cache) text += fmt::format(" from a {} L2 cache", search::to_string(*wanted.cache));
  return text;
}

std::vector<ReportSubject> kernel_subjects(const db::Store& store,
                                           const kernel_templates::KernelDefinition& definition,
                                           const std::string& kernel, const WorkloadSelection& wanted) {
  for (const auto& [name, value] : wanted.sizes) {
    if (search::find(definition.problem, name) != nullptr) continue;
    throw base::InputError(fmt::format("--size {}: {} has the sizes {}", name, definition.name,
                                       search::to_text(definition.problem)));
  }
  std::vector<ReportSubject> subjects =
      stored_subjects(store, &definition, [&](const search::Subject& subject) {
        return subject.kernel == definition.name && subject.kernel_hash == definition.hash &&
               fits(subject, wanted);
      });
  if (subjects.empty()) {
    const bool other_source = knows_other_source(store, definition);
    throw base::WorkError(fmt::format(
        "nothing is known of {}{}{}; run warptune tune {}", definition.name, wish_text(wanted),
        other_source ? " (there are measurements of another version of its source)" : "", kernel));
  }
  return subjects;
}

}  // namespace

std::vector<ReportSubject> report_subjects(const ReportQuestion& question) {
  std::optional<db::Store> store;
  const auto database = [&]() -> const db::Store& {
    if (!store) store = db::Store::open_existing(database_path(question.database));
    return *store;
  };
  const WorkloadSelection& wanted = question;
  std::vector<ReportSubject> subjects;
  for (const std::string& kernel : question.kernels) {
    if (names_recording(kernel)) {
      subjects.push_back(recorded_subject({wanted, kernel}));
      continue;
    }
    const kernel_templates::KernelDefinition definition =
        kernel_templates::load_kernel(kernel, question.readable_folders);
    for (ReportSubject& subject : kernel_subjects(database(), definition, kernel, wanted))
      subjects.push_back(std::move(subject));
  }
  if (!question.kernels.empty()) return subjects;
  subjects = stored_subjects(database(), nullptr,
                             [&](const search::Subject& subject) { return fits(subject, wanted); });
  if (subjects.empty()) {
    throw base::WorkError(fmt::format(
        "the database knows nothing{}; run warptune tune KERNEL, or name a recording", wish_text(wanted)));
  }
  return subjects;
}

}  // namespace warptune::tuner
