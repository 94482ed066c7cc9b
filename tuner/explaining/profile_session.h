#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/profile_sections.h"
#include "profiling/hot_lines.h"
#include "tuner/explaining/traced_program.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::explaining {

/// The request of a user who wants to see the counters of one configuration.
struct ProfileRequest {
  knowledge::WorkloadQuestion workload;
  model::NamedValues changes;  ///< Changes to the best known configuration, or to the default.
  bool from_default = false;   ///< Start from the definition's default.
  bool stored = false;         ///< Use stored counters; measure nothing.
  bool hot_lines = false;      ///< Also sample the source lines where warps spend their time.
  session::MeasurementRequest measurement;
};

/// One configuration with its counters and its diagnosis.
struct Profile {
  model::Workload workload;
  std::string heading;  ///< The workload in words.
  profiling::diagnosis::ProfiledLaunch launch;
  profiling::diagnosis::Diagnosis diagnosis;
  std::optional<profiling::HotLines> hot_lines;  ///< Only if the request asks for them.
  std::optional<TracedProgram> program;          ///< Only of a host program.
  std::string which;       ///< The configuration in words: "the default", "the best of 120 known".
  std::string origin;      ///< "just measured", "counters as stored by the recording FILE".
  std::size_t passes = 0;  ///< Replay passes of the counters; 0 for stored counters.
};

/// Measures the configuration with all counters and stores the result. If this machine lacks the workload's
/// GPU, or the request says `stored`, it uses stored counters. Without a GPU and without a database it uses a
/// shipped recording.
///
/// Returns `std::nullopt` when it is cancelled before the measurement. Throws `base::InputError` for a
/// request that is not valid, `base::WorkError` when no counters are known or the configuration fails, and
/// `base::MachineError` when there is neither a GPU nor a recording.
std::optional<Profile> profile(const ProfileRequest& request, session::SessionListener& listener,
                               const base::Cancellation& cancellation);

}  // namespace warptune::tuner::explaining
