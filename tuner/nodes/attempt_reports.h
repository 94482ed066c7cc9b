// What a node reports about an attempt.
#pragma once

#include <string>

#include "fleet/fleet_store.h"
#include "tuner/nodes/outbox.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::nodes {

/// The lease is given back, for a reason in one sentence.
AttemptReport given_back(fleet::AttemptEnd end, std::string reason);
/// The task failed, and would fail on every node.
AttemptReport failed(std::string reason);
/// The report about a session that ended without an exception. `state` is that of the lease. A session that
/// was interrupted closes nothing: its lease is given back.
AttemptReport report_of(const session::TuningOutcome& tuned, fleet::LeaseState state);

}  // namespace warptune::tuner::nodes
