#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "model/measurement.h"
#include "tuner/explaining/profile_session.h"
#include "tuner/sanitizing/sanitized_launch.h"

namespace warptune::tuner::sanitizing {

/// The request of a user who wants to know whether compute-sanitizer finds faults in configurations of a
/// kernel. With `from_default` or `changes`, it is the one configuration that `profile` would measure.
/// Otherwise it is the default, and also the best known one. Without sizes, each configuration is launched
/// for a small problem, because racecheck is slow.
struct SanitizeRequest {
  explaining::ProfileRequest profile;
  std::chrono::seconds limit{60};  ///< For each tool and configuration.
};

/// What the tools said about one configuration.
struct SanitizedConfiguration {
  std::string which;  ///< In words: "the default", "the best of 120 known".
  model::NamedValues configuration;
  model::NamedValues problem;  ///< For which it was launched.
  std::string obstacle;        ///< Why it was not launched. Empty if it was.
  std::vector<ToolRun> tools;
};

struct SanitizeReport {
  model::Workload workload;       ///< The one whose best configuration was looked up.
  std::filesystem::path program;  ///< compute-sanitizer.
  std::vector<SanitizedConfiguration> configurations;

  std::size_t errors() const;      ///< Findings that are errors.
  std::size_t warnings() const;    ///< Findings that are warnings.
  std::size_t unfinished() const;  ///< Checks that are not complete.
};

/// Launches configurations under the tools of compute-sanitizer, in worker processes. Stores nothing. Returns
/// `std::nullopt` when it is cancelled. Throws `base::InputError` for a request that is not valid, and
/// `base::MachineError` when there is no compute-sanitizer or no GPU of the workload.
std::optional<SanitizeReport> sanitize(const SanitizeRequest& request, session::SessionListener& listener,
                                       const base::Cancellation& cancellation);

}  // namespace warptune::tuner::sanitizing
