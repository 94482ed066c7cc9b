#include "tuner/html_report/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>

#include "profiling/counters/metrics.h"
#include "search/analysis/timed_rows.h"
#include "tuner/html_report/report_analysis.h"
#include "tuner/html_report/report_numbers.h"
#include "tuner/json_output/json_forms.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/version.h"

namespace warptune::tuner::html_report {

namespace {

using model::Measurement;
using model::Status;
using nlohmann::ordered_json;
using search::analysis::has_time;

constexpr int kTimeDigits = 6;
constexpr int kCounterDigits = 5;

// The fastest first, what was dropped after what was measured, what failed last.
std::vector<const Measurement*> ordered_rows(const model::Recording& recording) {
  std::vector<const Measurement*> rows;
  rows.reserve(recording.measurements.size());
  for (const Measurement& row : recording.measurements) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const Measurement* a, const Measurement* b) {
    const int rank_a = search::analysis::has_time(*a) ? (a->status == Status::kDropped ? 1 : 0) : 2;
    const int rank_b = search::analysis::has_time(*b) ? (b->status == Status::kDropped ? 1 : 0) : 2;
    return rank_a != rank_b ? rank_a < rank_b : rank_a < 2 && a->time.median_ns < b->time.median_ns;
  });
  return rows;
}

ordered_json parameters_as_json(const model::Recording& recording) {
  ordered_json list = ordered_json::array();
  for (const model::Parameter& parameter : recording.parameters) {
    ordered_json values = ordered_json::array();
    for (const model::Value& value : parameter.values)
      values.push_back(ordered_json(json_output::to_json(value)));
    list.push_back({{"name", parameter.name}, {"description", parameter.description}, {"values", values}});
  }
  return list;
}

// Of each parameter the place of each row's value in its list; -1 where the list lacks it.
ordered_json choices_of(const model::Recording& recording, const std::vector<const Measurement*>& rows) {
  ordered_json columns = ordered_json::array();
  for (const model::Parameter& parameter : recording.parameters) {
    std::map<model::Value, std::ptrdiff_t> places;
    for (const model::Value& value : parameter.values)
      places.emplace(value, static_cast<std::ptrdiff_t>(places.size()));
    ordered_json column = ordered_json::array();
    for (const Measurement* row : rows) {
      const model::Value* value = model::find(row->configuration, parameter.name);
      const auto place = value == nullptr ? places.end() : places.find(*value);
      column.push_back(place == places.end() ? std::ptrdiff_t{-1} : place->second);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// Adds a column unless it says nothing: a number of each row, null where `of` gives NaN.
template <class Of>
void add_column(ordered_json& columns, const std::string& name, const std::vector<const Measurement*>& rows,
                int digits, Of of) {
  ordered_json column = ordered_json::array();
  bool any = false;
  for (const Measurement* row : rows) {
    column.push_back(report_number(of(*row), digits));
    any = any || !column.back().is_null();
  }
  if (any) columns[name] = std::move(column);
}

std::set<std::string> counter_names(const std::vector<const Measurement*>& rows) {
  std::set<std::string> names;
  for (const Measurement* row : rows) {
    for (const auto& [name, value] : row->counters) names.insert(name);
  }
  return names;
}

double or_nan(bool known, double value) { return known ? value : std::nan(""); }

ordered_json resources_of(const std::vector<const Measurement*>& rows) {
  ordered_json columns = ordered_json::object();
  const auto add = [&](const char* name, auto of) {
    add_column(columns, name, rows, kTimeDigits, [&](const Measurement& row) {
      const model::ResourceUse& use = row.resources;
      return or_nan(use.threads_per_block > 0 || use.registers_per_thread > 0, static_cast<double>(of(use)));
    });
  };
  add("registers_per_thread", [](const auto& use) { return use.registers_per_thread; });
  add("shared_bytes", [](const auto& use) { return use.static_shared_bytes + use.dynamic_shared_bytes; });
  add("local_bytes", [](const auto& use) { return use.local_bytes; });
  add("threads_per_block", [](const auto& use) { return use.threads_per_block; });
  add("blocks", [](const auto& use) { return or_nan(use.blocks > 0, static_cast<double>(use.blocks)); });
  add("blocks_per_sm",
      [](const auto& use) { return or_nan(use.blocks_per_sm > 0, static_cast<double>(use.blocks_per_sm)); });
  add("theoretical_occupancy",
      [](const auto& use) { return or_nan(use.theoretical_occupancy > 0, use.theoretical_occupancy); });
  return columns;
}

ordered_json counters_of(const std::vector<const Measurement*>& rows) {
  ordered_json columns = ordered_json::object();
  for (const std::string& name : counter_names(rows)) {
    add_column(columns, name, rows, kCounterDigits, [&](const Measurement& row) {
      const auto found = row.counters.find(name);
      return found == row.counters.end() ? std::nan("") : found->second;
    });
  }
  return columns;
}

// Reasons of failed rows once each, and which of them a row has; -1 for none.
void add_reasons(ordered_json& form, const std::vector<const Measurement*>& rows) {
  std::map<std::string, std::size_t> known;
  ordered_json texts = ordered_json::array();
  ordered_json column = ordered_json::array();
  for (const Measurement* row : rows) {
    if (search::analysis::has_time(*row)) {
      column.push_back(-1);
      continue;
    }
    const auto [place, fresh] = known.emplace(row->reason, texts.size());
    if (fresh) texts.push_back(row->reason);
    column.push_back(place->second);
  }
  form["reasons"] = std::move(texts);
  form["rows"]["reason"] = std::move(column);
}

ordered_json steps_of(const SessionOrder& order) {
  ordered_json steps = {{"evaluation", ordered_json::array()},
                        {"elapsed_s", ordered_json::array()},
                        {"time_ns", ordered_json::array()},
                        {"configuration", ordered_json::array()}};
  for (const BestSoFar& step : best_so_far(order)) {
    steps["evaluation"].push_back(step.evaluation.number);
    steps["elapsed_s"].push_back(report_number(step.evaluation.elapsed_s, kTimeDigits));
    steps["time_ns"].push_back(report_number(step.time_ns, kTimeDigits));
    steps["configuration"].push_back(model::to_text(step.evaluation.measurement->configuration));
  }
  return steps;
}

ordered_json session_as_json(const ReportSession& session, const SessionOrder& order) {
  ordered_json form = {{"id", session.id},
                       {"strategy", session.strategy},
                       {"seed", session.seed},
                       {"budget", session.budget},
                       {"objective", session.objective},
                       {"replayed", session.replayed},
                       {"started_ms", session.started_ms},
                       {"finished_ms", session.finished_ms},
                       {"environment", json_output::to_json(session.environment)}};
  form["evaluations"] = order.count;
  form["elapsed_s"] = order.count == 0 ? ordered_json(0) : report_number(order.elapsed_s, kTimeDigits);
  form["by_time_stamps"] = order.by_time_stamps;
  form["best_so_far"] = steps_of(order);
  return form;
}

// The sessions, and for each row the newest of them that measured it with its place there.
void add_sessions(ordered_json& form, const ReportSubject& subject,
                  const std::vector<const Measurement*>& rows) {
  struct Place {
    std::size_t session;
    std::uint64_t number;
    double elapsed_s;
  };
  std::unordered_map<std::string, Place> places;
  form["sessions"] = ordered_json::array();
  for (std::size_t s = 0; s < subject.sessions.size(); ++s) {
    const SessionOrder order = order_of(subject.sessions[s]);
    form["sessions"].push_back(session_as_json(subject.sessions[s], order));
    for (const PlacedEvaluation& evaluation : order.evaluations) {
      places[model::key_of(evaluation.measurement->configuration)] = {s, evaluation.number,
                                                                      evaluation.elapsed_s};
    }
  }
  ordered_json& columns = form["rows"];
  for (const char* name : {"session", "evaluation", "elapsed_s"}) columns[name] = ordered_json::array();
  for (const Measurement* row : rows) {
    const auto place = places.find(model::key_of(row->configuration));
    const bool known = place != places.end();
    columns["session"].push_back(known ? ordered_json(place->second.session) : ordered_json(nullptr));
    columns["evaluation"].push_back(known ? ordered_json(place->second.number) : ordered_json(nullptr));
    columns["elapsed_s"].push_back(known ? report_number(place->second.elapsed_s, kTimeDigits)
                                         : ordered_json(nullptr));
  }
}

// Where a configuration stands among the rows; null when it is not there.
ordered_json place_of(const model::NamedValues& configuration, const std::vector<const Measurement*>& rows) {
  if (configuration.empty()) return nullptr;
  const std::string key = model::key_of(configuration);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (model::key_of(rows[i]->configuration) == key) return i;
  }
  return nullptr;
}

// Those known, the measured ones first of their kind.
ordered_json roofs_of(const model::Roofs& roofs) {
  ordered_json list = ordered_json::array();
  const auto add = [&](const char* name, const char* kind, double value, bool measured) {
    if (!(value > 0)) return;
    list.push_back({{"name", name},
                    {"kind", kind},
                    {"per_second", report_number(value, kTimeDigits)},
                    {"measured", measured}});
  };
  add("copy", "memory", roofs.copy_bytes_per_s, true);
  add("read", "memory", roofs.read_bytes_per_s, true);
  add("FP32", "compute", roofs.fp32_measured_flops_per_s, true);
  add("FP32", "compute", roofs.fp32_theory_flops_per_s, false);
  add("FP64", "compute", roofs.fp64_flops_per_s, true);
  add("tensor", "compute", roofs.tensor_flops_per_s, true);
  return list;
}

ordered_json subject_form(const ReportSubject& subject) {
  const model::Recording& recording = subject.recording;
  const std::vector<const Measurement*> rows = ordered_rows(recording);
  ordered_json form = {{"kernel", recording.subject.kernel},
                       {"kernel_hash", recording.subject.kernel_hash},
                       {"problem", json_output::to_ordered_json(recording.subject.problem)},
                       {"gpu", json_output::to_json(recording.subject.gpu)},
                       {"cache", model::to_string(recording.subject.cache)},
                       {"origin", subject.origin}};
  form["work"] = {{"flops", recording.work.flops},
                  {"bytes", recording.work.bytes},
                  {"unit", model::to_string(recording.work.unit)},
                  {"written_share", recording.work.written_share}};
  form["roofs"] = roofs_of(recording.roofs);
  form["roof_time_ns"] = report_number(model::roof_time_ns(recording.work, recording.roofs), kTimeDigits);
  form["binding_roof"] = model::to_string(model::binding_roof(recording.work, recording.roofs));
  form["parameters"] = parameters_as_json(recording);
  form["best"] = place_of(subject.best_configuration, rows);
  form["default"] = place_of(recording.default_configuration, rows);
  if (subject.sampled_of) form["sample"] = knowledge::sample_text(rows.size(), *subject.sampled_of);
  ordered_json& columns = form["rows"] = {{"count", rows.size()}};
  columns["choices"] = choices_of(recording, rows);
  columns["status"] = ordered_json::array();
  for (const Measurement* row : rows) columns["status"].push_back(static_cast<int>(row->status));
  add_column(columns, "time_ns", rows, kTimeDigits, [](const Measurement& row) {
    return or_nan(search::analysis::has_time(row), row.time.median_ns);
  });
  add_column(columns, "low_ns", rows, kTimeDigits,
             [](const Measurement& row) { return or_nan(search::analysis::has_time(row), row.time.low_ns); });
  add_column(columns, "high_ns", rows, kTimeDigits, [](const Measurement& row) {
    return or_nan(row.status == Status::kMeasured, row.time.high_ns);
  });
  add_column(columns, "compile_ms", rows, 3, [](const Measurement& row) { return row.compile_ms; });
  add_reasons(form, rows);
  add_sessions(form, subject, rows);
  form["resources"] = resources_of(rows);
  form["counters"] = counters_of(rows);
  form["analysis"] = parameter_analysis(recording);
  form["diagnoses"] = diagnoses_of(subject);
  return form;
}

ordered_json metrics_as_json(const std::vector<ReportSubject>& subjects) {
  std::set<std::string> present;
  for (const ReportSubject& subject : subjects) {
    for (const Measurement& row : subject.recording.measurements) {
      for (const auto& [name, value] : row.counters) present.insert(name);
    }
  }
  ordered_json list = ordered_json::object();
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue()) {
    const std::string name(metric.name);
    if (present.count(name) == 0) continue;
    list[name] = {{"title", metric.title},
                  {"unit", metric.unit},
                  {"description", metric.description},
                  {"core", metric.core}};
  }
  return list;
}

}  // namespace

std::string report_json(const std::vector<ReportSubject>& subjects, std::int64_t written_ms) {
  ordered_json form = {{"format", "warptune-report"}, {"version", 1}, {"warptune_version", kVersion}};
  form["written_ms"] = written_ms;
  form["statuses"] = ordered_json::array();
  for (const Status status : model::all_statuses()) form["statuses"].push_back(model::to_string(status));
  form["metrics"] = metrics_as_json(subjects);
  form["subjects"] = ordered_json::array();
  for (const ReportSubject& subject : subjects) form["subjects"].push_back(subject_form(subject));
  return form.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace warptune::tuner::html_report
