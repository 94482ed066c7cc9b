#pragma once

#include <string>

#include "db/store.h"
#include "tuner/checking/definition_check.h"
#include "tuner/explaining/profile_session.h"
#include "tuner/querying/kernel_query.h"
#include "tuner/session/session_events.h"
#include "tuner/session/tuning.h"
#include "tuner/text_output/explain_report.h"

/// JSON outputs as text in one line. Other modules can use them without a JSON library.
namespace warptune::tuner::json_output::lines {

/// One line of `warptune tune --progress json`.
std::string event_line(const session::SessionEvent& event);
/// One session of `warptune tune --format json`.
std::string tuned_session_line(const session::TuningOutcome& outcome, const db::Store& store);
/// The outputs of the commands `query`, `check`, `explain` and `profile`.
std::string query_line(const querying::KernelAnswer& answer, const model::Objective& objective);
std::string check_line(const checking::CheckReport& report);
std::string explain_line(const text_output::ExplainedWorkload& workload,
                         const explaining::Explanation& explanation);
std::string profile_line(const explaining::Profile& profile);

}  // namespace warptune::tuner::json_output::lines
