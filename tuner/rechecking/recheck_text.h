#pragma once

#include <string>

#include "tuner/rechecking/recheck_session.h"

namespace warptune::tuner::rechecking {

/// `transpose M=8192 N=8192: holds`, a line for each workload as it is done.
std::string result_line(const RecheckResult& result);

/// What was measured again, as a table with a row for each workload, and below it what differs between the
/// machine then and now: driver, toolkit, clocks.
std::string recheck_text(const RecheckOutcome& outcome, const RecheckPlan& plan);

/// What would be measured again.
std::string plan_text(const RecheckPlan& plan);

}  // namespace warptune::tuner::rechecking
