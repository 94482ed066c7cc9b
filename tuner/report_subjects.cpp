#include "tuner/report_subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
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
#include "tuner/known_rows.h"
#include "tuner/known_winners.h"
#include "tuner/renamed_rows.h"
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
  std::vector<std::set<search::Value>> values;
  for (const search::Measurement& row : rows) {
    for (const auto& [name, value] : row.configuration) {
      const std::string& wanted = name;
      const auto place = std::find_if(known.begin(), known.end(), [&](const search::Parameter& parameter) {
        return parameter.name == wanted;
      });
      const auto p = static_cast<std::size_t>(place - known.begin());
      if (place == known.end()) {
        known.push_back({name, {}, "", {}});
        values.emplace_back();
      }
      values[p].insert(value);
    }
  }
  for (std::size_t p = 0; p < known.size(); ++p) known[p].values.assign(values[p].begin(), values[p].end());
  return known;
}

ReportSession without_rows(const db::Session& stored) {
  return {stored.id,       stored.strategy,   stored.seed,        stored.budget,      stored.objective,
          stored.replayed, stored.started_ms, stored.finished_ms, stored.environment, {}};
}

ReportSession session_of(const db::Store& store, const db::Session& stored) {
  ReportSession session = without_rows(stored);
  std::vector<db::StoredMeasurement> rows = store.session_measurements(stored.id);
  session.measurements.reserve(rows.size());
  for (db::StoredMeasurement& row : rows) {
    row.measurement.counters.clear();
    session.measurements.push_back(std::move(row.measurement));
  }
  return session;
}

using RowsById = std::unordered_map<std::int64_t, const search::Measurement*>;

// The rows of a session that the subject's sample has, and those that were the best so far, with their places
// among all.
ReportSession sampled_session_of(const db::Store& store, const db::Session& stored, const RowsById& sample) {
  const std::vector<db::MeasurementOutline> outline = store.session_outline(stored.id);
  ReportSession whole = without_rows(stored);
  for (const db::MeasurementOutline& row : outline) {
    search::Measurement& measurement = whole.measurements.emplace_back();
    measurement.status = row.status;
    measurement.time.median_ns = row.median_ns;
    measurement.measure_ms = row.spent_ms;
    measurement.time_stamp_ms = row.time_stamp_ms;
  }
  const SessionOrder order = order_of(whole);
  std::unordered_set<std::uint64_t> steps;
  for (const BestSoFar& step : best_so_far(order)) steps.insert(step.evaluation.number);
  ReportSession session = without_rows(stored);
  session.sampled = SampledSession{{}, order.count, order.elapsed_s, order.by_time_stamps};
  for (const PlacedEvaluation& evaluation : order.evaluations) {
    const std::int64_t id =
        outline[static_cast<std::size_t>(evaluation.measurement - whole.measurements.data())].id;
    const auto known = sample.find(id);
    if (known == sample.end() && steps.count(evaluation.number) == 0) continue;
    search::Measurement row = known != sample.end() ? *known->second : store.measurement(id)->measurement;
    row.counters.clear();
    session.measurements.push_back(std::move(row));
    session.sampled->places.push_back({evaluation.number, evaluation.elapsed_s});
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
                             const kernel_templates::KernelDefinition* definition, std::uint64_t shown_rows) {
  const db::Session& newest = sessions.back();
  ReportSubject subject;
  subject.origin = "the database";
  if (definition != nullptr && definition->hash != newest.subject.kernel_hash)
    subject.origin += fmt::format(", {}", kOtherVersion);
  search::Recording& recording = subject.recording;
  recording.subject = newest.subject;
  recording.default_configuration = newest.default_configuration;
  recording.work = newest.work;
  recording.roofs = known_roofs(store, newest.subject.gpu, newest.roofs);
  recording.environment = newest.environment;
  db::MeasurementSample sample =
      store.sampled_measurements(newest.subject, shown_rows, newest.default_configuration);
  std::vector<db::StoredMeasurement>& rows = sample.rows;
  recording.measurements.reserve(rows.size());
  for (const db::StoredMeasurement& row : rows) recording.measurements.push_back(row.measurement);
  add_space(recording, definition);
  if (!sample.is_whole()) subject.sampled_of = sample.known;
  RowsById by_id;
  for (std::size_t i = 0; i < rows.size(); ++i) by_id[rows[i].id] = &recording.measurements[i];
  const detail::Ranking ranking(std::move(rows), search::Objective(), {});
  if (ranking.best() != nullptr)
    subject.best_configuration = ranking.best()->stored.measurement.configuration;
  subject.sessions.reserve(sessions.size());
  for (const db::Session& session : sessions)
    subject.sessions.push_back(subject.sampled_of ? sampled_session_of(store, session, by_id)
                                                  : session_of(store, session));
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
                                           std::uint64_t shown_rows, Chosen chosen) {
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
    subjects.push_back(stored_subject(store, group, shipped ? &*shipped : definition, shown_rows));
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
                                           const std::string& kernel, const ReportQuestion& wanted) {
  for (const auto& [name, value] : wanted.sizes) {
    if (search::find(definition.problem, name) != nullptr) continue;
    throw base::InputError(fmt::format("--size {}: {} has the sizes {}", name, definition.name,
                                       search::to_text(definition.problem)));
  }
  std::vector<ReportSubject> subjects =
      stored_subjects(store, &definition, wanted.shown_rows, [&](const search::Subject& subject) {
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
    if (!store) store = open_database(database_path(question.database));
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
    for (ReportSubject& subject : kernel_subjects(database(), definition, kernel, question))
      subjects.push_back(std::move(subject));
  }
  if (!question.kernels.empty()) return subjects;
  subjects = stored_subjects(database(), nullptr, question.shown_rows,
                             [&](const search::Subject& subject) { return fits(subject, wanted); });
  if (subjects.empty()) {
    throw base::WorkError(fmt::format(
        "the database knows nothing{}; run warptune tune KERNEL, or name a recording", wish_text(wanted)));
  }
  return subjects;
}

}  // namespace warptune::tuner
