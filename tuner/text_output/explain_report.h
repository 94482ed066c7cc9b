#pragma once

#include <optional>
#include <string>

#include "model/recording.h"
#include "tuner/explaining/explanation.h"

namespace warptune::tuner::text_output {

/// The workload of an explanation, for the head of its text.
struct ExplainedWorkload {
  const model::Recording* recording = nullptr;
  std::string origin;                   ///< Where the rows come from, in words: "the database".
  std::optional<std::int64_t> session;  ///< The session that stores the new measurements.
};

/// The text that `warptune explain` prints for people.
std::string explanation_text(const ExplainedWorkload& workload, const explaining::Explanation& explanation);

}  // namespace warptune::tuner::text_output
