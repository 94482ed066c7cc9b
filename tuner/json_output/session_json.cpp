#include "tuner/json_output/session_json.h"

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/knowledge/renamed_rows.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;

ordered_json session_json(const db::Session& session) {
  return {{"session_id", session.id},
          {"workload", workload_json(session.workload)},
          {"current_source", !knowledge::is_of_other_version(session.workload)},
          {"strategy", session.strategy},
          {"seed", session.seed},
          {"budget", text_or_null(session.budget)},
          {"objective", session.objective},
          {"replayed", session.source == model::RowSource::kReplayed},
          {"imported", session.source == model::RowSource::kImported},
          {"finished", session.finished_ms != 0},
          {"started_ms", session.started_ms},
          {"finished_ms", known_or_null(session.finished_ms)},
          {"space_size", known_or_null(session.space_size)},
          {"environment", environment_json(session.environment)},
          {"work", work_json(session.work)},
          {"roofs", roofs_json(session.roofs)}};
}

ordered_json sessions_json(const std::vector<db::Session>& sessions) {
  ordered_json report = json_head("sessions");
  report["sessions"] = ordered_json::array();
  for (const db::Session& session : sessions) report["sessions"].push_back(session_json(session));
  return report;
}

ordered_json shown_session_json(const db::Session& session,
                                const std::map<model::Status, std::uint64_t>& counts,
                                const std::vector<model::Measurement>& shown) {
  ordered_json report = json_head("session");
  report["session"] = session_json(session);
  report["by_status"] = by_status_json(counts);
  report["measurements"] = ordered_json::array();
  for (const model::Measurement& row : shown)
    report["measurements"].push_back(measurement_json(row, session.work, session.roofs));
  return report;
}

}  // namespace warptune::tuner::json_output
