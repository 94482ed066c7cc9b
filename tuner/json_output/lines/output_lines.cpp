#include "tuner/json_output/lines/output_lines.h"

#include "tuner/json_output/check_json.h"
#include "tuner/json_output/explain_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/profile_json.h"
#include "tuner/json_output/progress_lines.h"
#include "tuner/json_output/query_json.h"
#include "tuner/json_output/tune_json.h"

namespace warptune::tuner::json_output::lines {

std::string event_line(const session::SessionEvent& event) { return to_line(event_json(event)); }

std::string tuned_session_line(const session::TuningOutcome& outcome, const db::Store& store) {
  return to_line(tuned_session_json(outcome, store));
}

std::string query_line(const querying::KernelAnswer& answer, const model::Objective& objective) {
  return to_line(query_json(answer.match, answer.reason, answer.asked, objective, answer.front, answer.doubt,
                            answer.weighing, answer.differences, answer.reproducible));
}

std::string check_line(const checking::CheckReport& report) { return to_line(check_json(report)); }

std::string explain_line(const text_output::ExplainedWorkload& workload,
                         const explaining::Explanation& explanation) {
  return to_line(explanation_json(workload, explanation));
}

std::string profile_line(const explaining::Profile& profile) { return to_line(profile_json(profile)); }

}  // namespace warptune::tuner::json_output::lines
