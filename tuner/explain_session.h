#pragma once

#include <cstdint>
#include <optional>

#include "tuner/explanation.h"
#include "tuner/known_rows.h"
#include "tuner/measurement_session.h"

namespace warptune::tuner {

/// All that somebody asks for who wants to know why a configuration is faster than another.
struct ExplainRequest {
  WorkloadQuestion workload;
  search::NamedValues from;  ///< Values that replace those of the default.
  search::NamedValues to;    ///< Values that replace those of the best.
  bool measure = true;       ///< Measure missing steps of the path, where a GPU of the model is here.
  MeasurementRequest measurement;
};

struct ExplainOutcome {
  KnownRows known;
  Explanation explanation;
  std::optional<std::int64_t> session;  ///< That what was measured now is stored as.
};

/// Explains what the database or a recording knows, and measures what is missing. Throws as
/// `require_known_rows` and `explain` do.
ExplainOutcome explain(const ExplainRequest& request, SessionListener& listener,
                       const Cancellation& cancellation);

}  // namespace warptune::tuner
