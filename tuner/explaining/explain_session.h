#pragma once

#include <cstdint>
#include <optional>

#include "tuner/explaining/explanation.h"
#include "tuner/gpus/present_machine.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::explaining {

/// The request of a user who wants to know why one configuration is faster than another. A path leads from
/// one of the two to the other. Each of its steps changes one parameter, or several together. A step is
/// missing if the configuration after it has no time.
struct ExplainRequest {
  knowledge::WorkloadQuestion workload;
  model::NamedValues from;  ///< Values that replace values of the default configuration.
  model::NamedValues to;    ///< Values that replace values of the best configuration.
  bool measure = true;      ///< Measure missing steps of the path if this machine has the workload's GPU.
  session::MeasurementRequest measurement;
};

struct ExplainOutcome {
  knowledge::KnownRows known;
  Explanation explanation;
  std::optional<std::int64_t> session;  ///< The session that stores the new measurements.
};

/// Explains the rows of the database or of a recording, and measures missing steps of the path. Throws what
/// `knowledge::require_known_rows` and the other `explain` (`tuner/explaining/explanation.h`) throw.
/// A note says if the best was measured under other conditions than those that `read_machine` finds here.
ExplainOutcome explain(const ExplainRequest& request, session::SessionListener& listener,
                       const base::Cancellation& cancellation,
                       const gpus::MachineReader& read_machine = gpus::read_present_machine);

}  // namespace warptune::tuner::explaining
