// The sessions of a workload as JSON: the best time so far in each of them, and which session measured each
// row.
#include "tuner/html_report/report_sessions.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "tuner/html_report/report_numbers.h"
#include "tuner/html_report/report_rows.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::html_report {

using model::Measurement;
using nlohmann::ordered_json;

namespace {

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
  ordered_json json = {{"id", session.id},
                       {"strategy", session.strategy},
                       {"seed", session.seed},
                       {"budget", session.budget},
                       {"objective", session.objective},
                       {"replayed", session.source == model::RowSource::kReplayed},
                       {"imported", session.source == model::RowSource::kImported},
                       {"started_ms", session.started_ms},
                       {"finished_ms", session.finished_ms},
                       {"environment", json_output::environment_json(session.environment)}};
  json["evaluations"] = order.count;
  json["elapsed_s"] = order.count == 0 ? ordered_json(0) : report_number(order.elapsed_s, kTimeDigits);
  json["by_time_stamps"] = order.by_time_stamps;
  json["best_so_far"] = steps_of(order);
  return json;
}

}  // namespace

void add_sessions(ordered_json& workload_json, const ReportWorkload& workload,
                  const std::vector<const Measurement*>& rows) {
  struct Place {
    std::size_t session;
    std::uint64_t number;
    double elapsed_s;
  };
  std::unordered_map<std::string, Place> places;
  workload_json["sessions"] = ordered_json::array();
  for (std::size_t s = 0; s < workload.sessions.size(); ++s) {
    const SessionOrder order = order_of(workload.sessions[s]);
    workload_json["sessions"].push_back(session_as_json(workload.sessions[s], order));
    for (const NumberedEvaluation& evaluation : order.evaluations) {
      places[model::key_of(evaluation.measurement->configuration)] = {s, evaluation.number,
                                                                      evaluation.elapsed_s};
    }
  }
  ordered_json& columns = workload_json["rows"];
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

}  // namespace warptune::tuner::html_report
