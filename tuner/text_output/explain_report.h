#pragma once

#include <optional>
#include <string>

#include "model/recording.h"
#include "tuner/explaining/explanation.h"

namespace warptune::tuner::text_output {

/// What an explanation is of, for its head.
struct ExplainedWorkload {
  const model::Recording* recording = nullptr;
  std::string origin;                   ///< In words: "the database".
  std::optional<std::int64_t> session;  ///< That what was measured now is stored as.
};

/// What `explain` says to people.
std::string explanation_text(const ExplainedWorkload& workload, const explaining::Explanation& explanation);

}  // namespace warptune::tuner::text_output
