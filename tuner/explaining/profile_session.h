#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/profile_sections.h"
#include "profiling/hot_lines.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::explaining {

/// All that somebody asks for who wants to see one configuration's counters.
struct ProfileRequest {
  knowledge::WorkloadQuestion workload;
  model::NamedValues changes;  ///< Parameters that differ from the best known, or from the default.
  bool from_default = false;   ///< Begin from the definition's default.
  bool stored = false;         ///< Only what is stored; measure nothing.
  bool hot_lines = false;      ///< The source lines where warps were found most, too.
  session::MeasurementRequest measurement;
};

/// One configuration with its counters, and what is wrong with it.
struct Profile {
  model::Workload workload;
  std::string heading;  ///< It in words.
  profiling::diagnosis::ProfiledLaunch launch;
  profiling::diagnosis::Diagnosis diagnosis;
  std::optional<profiling::HotLines> hot_lines;  ///< Where they were asked for.
  std::string which;       ///< The configuration in words: "the default", "the best of 120 known".
  std::string origin;      ///< Of the numbers: "just measured", "counters as stored by the recording FILE".
  std::size_t passes = 0;  ///< That the counters took; 0 where they are stored ones.
};

/// Measures the configuration with all counters and stores it; where no such GPU is here, or nothing is to be
/// measured, takes what is stored. Without a GPU and without a database it takes a shipped recording. Nothing
/// where a cancellation came first. Throws `base::InputError` for what is wrong in the request,
/// `base::WorkError` where nothing is known and where the configuration fails, `base::MachineError` where
/// there is neither a GPU nor a recording.
std::optional<Profile> profile(const ProfileRequest& request, session::SessionListener& listener,
                               const base::Cancellation& cancellation);

}  // namespace warptune::tuner::explaining
