#include "tuner/nodes/attempt_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace warptune::tuner::nodes {

namespace {

std::string most_frequent(const std::map<std::string, std::uint64_t>& failures) {
  const auto most = std::max_element(failures.begin(), failures.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == failures.end() ? "there is no valid configuration" : most->first;
}

fleet::TaskOutcome outcome_of(const session::TuningOutcome& tuned) {
  const session::SessionResult& result = tuned.result;
  fleet::TaskOutcome outcome;
  outcome.evaluated = result.progress.evaluated;
  outcome.failures = result.reasons;
  if (result.best) outcome.best_ns = model::median_ns_of(*result.best);
  if (tuned.failed_cases > 0) {
    outcome.failed = true;
    outcome.reason = session::failed_cases_error(tuned.failed_cases).message();
  } else if (!result.best) {
    outcome.failed = true;
    outcome.reason = fmt::format("no configuration could be measured: {}", most_frequent(result.reasons));
  }
  return outcome;
}

}  // namespace

AttemptReport given_back(fleet::AttemptEnd end, std::string reason) {
  return {std::nullopt, end, std::move(reason)};
}

AttemptReport failed(std::string reason) {
  fleet::TaskOutcome outcome;
  outcome.failed = true;
  outcome.reason = std::move(reason);
  return {std::move(outcome), {}, {}};
}

AttemptReport report_of(const session::TuningOutcome& tuned, fleet::LeaseState state) {
  if (!tuned.result.interrupted) return {outcome_of(tuned), {}, {}};
  switch (state) {
    case fleet::LeaseState::kCancelled:
      return given_back(fleet::AttemptEnd::kCancelled, "a person has cancelled the campaign");
    case fleet::LeaseState::kLost:
      return given_back(fleet::AttemptEnd::kLost, "its lease had ended before the session");
    case fleet::LeaseState::kHeld:
      break;
  }
  return given_back(fleet::AttemptEnd::kGivenBack, "the node was stopped");
}

}  // namespace warptune::tuner::nodes
