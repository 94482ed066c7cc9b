#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/diagnosis.h"
#include "profiling/hot_lines.h"
#include "profiling/profile_sections.h"
#include "search/measurement.h"

namespace warptune::tuner::cli {

/// A profile ready to be shown.
struct ShownProfile {
  search::Subject subject;
  std::string heading;  ///< It in words.
  profiling::ProfiledLaunch launch;
  profiling::Diagnosis diagnosis;
  std::optional<profiling::HotLines> hot_lines;  ///< Where they were asked for.
  std::string which;       ///< The configuration in words: "the default", "the best of 120 known".
  std::string origin;      ///< Of the numbers: "just measured", "counters as stored by the recording FILE".
  std::size_t passes = 0;  ///< That the counters took; 0 where they are stored ones.
  bool raw = false;        ///< Every counter by its name.
};

/// The sections, one line a row with the metric's name beside it, then the diagnosis. Where the names
/// do not fit `width` columns they are left out, and longer lines are broken (0: any length).
std::string profile_text(const ShownProfile& profile, std::size_t width);
std::string profile_json(const ShownProfile& profile);

}  // namespace warptune::tuner::cli
