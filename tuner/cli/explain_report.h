#pragma once

#include <optional>
#include <string>

#include "search/recording.h"
#include "tuner/explanation.h"

namespace warptune::tuner::cli {

/// What an explanation is of, for its head.
struct ExplainedSubject {
  const search::Recording* recording = nullptr;
  std::string origin;                   ///< In words: "the database".
  std::optional<std::int64_t> session;  ///< That what was measured now is stored as.
};

/// What `explain` says to people.
std::string explanation_text(const ExplainedSubject& subject, const Explanation& explanation);

/// What it says to programs: the text of a JSON object.
std::string explanation_json(const ExplainedSubject& subject, const Explanation& explanation);

}  // namespace warptune::tuner::cli
