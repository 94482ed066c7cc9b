#include "tuner/html_report/report_workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "db/store.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/row_sources.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/html_report/profile_files.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/ranking.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/selected_workloads.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::html_report {

namespace {

ReportSession without_rows(const db::Session& stored) {
  return {stored.id,     stored.strategy,   stored.seed,        stored.budget,      stored.objective,
          stored.source, stored.started_ms, stored.finished_ms, stored.environment, {}};
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

using RowsById = std::unordered_map<std::int64_t, const model::Measurement*>;

// Reduces a session to the rows of the workload's sample and the rows that were the best so far. Keeps their
// positions in the whole session.
ReportSession sampled_session_of(const db::Store& store, const db::Session& stored, const RowsById& sample) {
  const std::vector<db::MeasurementOutline> outline = store.session_outline(stored.id);
  ReportSession whole = without_rows(stored);
  for (const db::MeasurementOutline& row : outline) {
    model::Measurement& measurement = whole.measurements.emplace_back();
    measurement.status = row.status;
    if (row.median_ns) measurement.time = model::TimeSummary{*row.median_ns};
    measurement.measure_ms = row.spent_ms;
    measurement.time_stamp_ms = row.time_stamp_ms;
  }
  const SessionOrder order = order_of(whole);
  std::unordered_set<std::uint64_t> steps;
  for (const BestSoFar& step : best_so_far(order)) steps.insert(step.evaluation.number);
  ReportSession session = without_rows(stored);
  session.sampled = SampledSession{{}, order.count, order.elapsed_s, order.by_time_stamps};
  for (const NumberedEvaluation& evaluation : order.evaluations) {
    const std::int64_t id =
        outline[static_cast<std::size_t>(evaluation.measurement - whole.measurements.data())].id;
    const auto known = sample.find(id);
    if (known == sample.end() && steps.count(evaluation.number) == 0) continue;
    model::Measurement row = known != sample.end() ? *known->second : store.measurement(id)->measurement;
    row.counters.clear();
    session.measurements.push_back(std::move(row));
    session.sampled->places.push_back({evaluation.number, evaluation.elapsed_s});
  }
  return session;
}

// Takes the space of a workload from its definition. If the definition is unknown, has changed or rejects the
// problem, the space has the measured values instead.
void add_space(model::Recording& recording, const kernel_templates::KernelDefinition* definition) {
  const model::Workload& workload = recording.workload;
  if (definition != nullptr && definition->hash == workload.kernel_hash) {
    try {
      const kernel_templates::KernelInstance instance(*definition, workload.problem, workload.gpu);
      recording.parameters = instance.space().parameters();
      recording.constraints = instance.space().constraints();
      recording.constants = instance.constants();
      return;
    } catch (const base::InputError& error) {
      base::log_debug(fmt::format("the workload's definition is not used: {}", error.what()));
    }
  }
  recording.parameters = knowledge::occurring_parameters(recording.measurements);
  recording.listed = true;
}

// The source of the workload, if the definition is still the one that was measured.
std::optional<ReportSource> source_of(const kernel_templates::KernelDefinition& definition,
                                      const model::Workload& workload) {
  if (definition.hash != workload.kernel_hash) return std::nullopt;
  return ReportSource{definition.source.filename().string(), base::read_file(definition.source)};
}

// Makes a workload from all its sessions, which are sorted, the oldest first. What the sessions say of the
// workload comes from the newest one of the best source.
ReportWorkload stored_workload(const db::Store& store, const std::vector<db::Session>& sessions,
                               const kernel_templates::KernelDefinition* definition,
                               const ReportQuestion& question) {
  const db::Session& newest = *model::last_of_best_source(sessions);
  ReportWorkload workload;
  workload.origin = "the database";
  if (definition != nullptr && definition->hash != newest.workload.kernel_hash)
    workload.origin += fmt::format(", {}", knowledge::kOtherVersion);
  model::Recording& recording = workload.recording;
  recording.workload = newest.workload;
  recording.default_configuration = newest.default_configuration;
  recording.work = newest.work;
  recording.roofs = gpus::known_roofs(store, newest.workload.gpu, newest.roofs);
  recording.environment = newest.environment;
  db::MeasurementSample sample =
      store.sampled_measurements(newest.workload, question.shown_rows, newest.default_configuration);
  std::vector<db::StoredMeasurement>& rows = sample.rows;
  recording.measurements.reserve(rows.size());
  for (const db::StoredMeasurement& row : rows) recording.measurements.push_back(row.measurement);
  add_space(recording, definition);
  if (definition != nullptr && question.with_source)
    workload.source = source_of(*definition, recording.workload);
  if (!sample.is_whole()) workload.total_rows = sample.known;
  RowsById by_id;
  for (std::size_t i = 0; i < rows.size(); ++i) by_id[rows[i].id] = &recording.measurements[i];
  const knowledge::Ranking ranking(std::move(rows), model::Objective(), {});
  if (ranking.best() != nullptr)
    workload.best_configuration = ranking.best()->stored.measurement.configuration;
  workload.sessions.reserve(sessions.size());
  for (const db::Session& session : sessions)
    workload.sessions.push_back(workload.total_rows ? sampled_session_of(store, session, by_id)
                                                    : session_of(store, session));
  return workload;
}

// The definition of a shipped kernel, or `std::nullopt`.
std::optional<kernel_templates::KernelDefinition> shipped_definition(const std::string& kernel) {
  const std::vector<std::string> shipped = kernel_templates::shipped_kernels();
  if (std::find(shipped.begin(), shipped.end(), kernel) == shipped.end()) return std::nullopt;
  return kernel_templates::load_kernel(kernel);
}

// The workloads of all sessions that `chosen` accepts. The workload with the newest session comes first.
// Without `definition`, the definitions of shipped kernels are used.
template <class Chosen>
std::vector<ReportWorkload> stored_workloads(const db::Store& store,
                                             const kernel_templates::KernelDefinition* definition,
                                             const ReportQuestion& question, Chosen chosen) {
  std::vector<std::vector<db::Session>> groups;
  std::vector<db::Session> sessions = store.sessions();
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const auto& a, const auto& b) { return a.started_ms < b.started_ms; });
  for (db::Session& session : sessions) {
    if (!chosen(session.workload)) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<db::Session>& known) {
      return knowledge::is_same_workload(known.front().workload, session.workload);
    });
    if (group == groups.end()) group = groups.insert(groups.end(), std::vector<db::Session>());
    group->push_back(std::move(session));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.back().started_ms > b.back().started_ms; });
  std::vector<ReportWorkload> workloads;
  workloads.reserve(groups.size());
  for (const std::vector<db::Session>& group : groups) {
    std::optional<kernel_templates::KernelDefinition> shipped;
    if (definition == nullptr) shipped = shipped_definition(group.back().workload.kernel);
    workloads.push_back(stored_workload(store, group, shipped ? &*shipped : definition, question));
  }
  return workloads;
}

ReportWorkload recorded_workload(const knowledge::WorkloadQuestion& question, bool with_source) {
  knowledge::KnownRows known = knowledge::recorded_rows(question);
  knowledge::require_rows(known, question);
  ReportWorkload workload = workload_of(std::move(known.recording), std::move(known.origin));
  if (known.instance && with_source)
    workload.source = source_of(known.instance->definition(), workload.recording.workload);
  return workload;
}

std::string wish_text(const knowledge::WorkloadSelection& wanted) {
  std::string text;
  if (!wanted.sizes.empty()) text += " " + model::to_text(wanted.sizes);
  if (wanted.gpu) text += fmt::format(" on {}", *wanted.gpu);
  if (wanted.cache) text += fmt::format(" from {}", model::l2_text(*wanted.cache));
  return text;
}

std::vector<ReportWorkload> kernel_workloads(const db::Store& store,
                                             const kernel_templates::KernelDefinition& definition,
                                             const std::string& kernel, const ReportQuestion& wanted) {
  for (const auto& [name, value] : wanted.sizes) {
    if (model::find(definition.problem, name) != nullptr) continue;
    throw base::InputError(fmt::format("--size {}: {} has the sizes {}", name, definition.name,
                                       model::to_text(definition.problem)));
  }
  std::vector<ReportWorkload> workloads =
      stored_workloads(store, &definition, wanted, [&](const model::Workload& workload) {
        return workload.kernel == definition.name && workload.kernel_hash == definition.hash &&
               knowledge::fits_selection(workload, wanted);
      });
  if (workloads.empty()) {
    throw base::WorkError(fmt::format(
        "nothing is known of {}{}{}; run `{}`", definition.name, wish_text(wanted),
        knowledge::note_of_other_source(store, definition),
        knowledge::tune_command(kernel, wanted.sizes, wanted.cache.value_or(model::CacheState::kCold))));
  }
  return workloads;
}

std::vector<ReportWorkload> chosen_workloads(const ReportQuestion& question) {
  std::optional<db::Store> store;
  const auto database = [&]() -> const db::Store& {
    if (!store) store = knowledge::open_database(knowledge::database_path(question.database));
    return *store;
  };
  const knowledge::WorkloadSelection& wanted = question;
  std::vector<ReportWorkload> workloads;
  for (const std::string& kernel : question.kernels) {
    if (knowledge::names_recording(kernel)) {
      workloads.push_back(recorded_workload({wanted, kernel}, question.with_source));
      continue;
    }
    const kernel_templates::KernelDefinition definition =
        kernel_templates::load_kernel(kernel, question.permissions);
    kernel_templates::log_warnings_of(definition);
    for (ReportWorkload& workload : kernel_workloads(database(), definition, kernel, question))
      workloads.push_back(std::move(workload));
  }
  if (!question.kernels.empty()) return workloads;
  workloads = stored_workloads(database(), nullptr, question, [&](const model::Workload& workload) {
    return knowledge::fits_selection(workload, wanted);
  });
  if (workloads.empty()) {
    throw base::WorkError(fmt::format(
        "the database knows nothing{}; run `warptune tune KERNEL`, or name a recording", wish_text(wanted)));
  }
  return workloads;
}

}  // namespace

std::vector<ReportWorkload> report_workloads(const ReportQuestion& question) {
  std::vector<ReportWorkload> workloads = chosen_workloads(question);
  add_profiles(workloads, question.profiles);
  return workloads;
}

std::vector<ReportWorkload> session_workloads(const db::Store& store,
                                              const std::vector<model::Workload>& wanted,
                                              const kernel_templates::KernelDefinition* definition) {
  const auto is_wanted = [&](const model::Workload& stored) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const auto& one) { return knowledge::is_same_workload(one, stored); });
  };
  std::vector<ReportWorkload> workloads = stored_workloads(store, definition, ReportQuestion(), is_wanted);
  std::erase_if(workloads, [](const auto& workload) { return workload.recording.measurements.empty(); });
  return workloads;
}

}  // namespace warptune::tuner::html_report
