#pragma once

#include <cstdint>
#include <optional>

#include "tuner/explaining/explanation.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::explaining {

/// All that somebody asks for who wants to know why a configuration is faster than another.
struct ExplainRequest {
  knowledge::WorkloadQuestion workload;
  model::NamedValues from;  ///< Values that replace those of the default.
  model::NamedValues to;    ///< Values that replace those of the best.
  bool measure = true;      ///< Measure missing steps of the path, where a GPU of the model is here.
  session::MeasurementRequest measurement;
};

struct ExplainOutcome {
  knowledge::KnownRows known;
  Explanation explanation;
  std::optional<std::int64_t> session;  ///< That what was measured now is stored as.
};

/// Explains what the database or a recording knows, and measures what is missing. Throws as
/// `require_known_rows` and `explain` do.
ExplainOutcome explain(const ExplainRequest& request, session::SessionListener& listener,
                       const base::Cancellation& cancellation);

}  // namespace warptune::tuner::explaining
