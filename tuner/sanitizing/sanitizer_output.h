// What compute-sanitizer writes, as findings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/hot_lines.h"

namespace warptune::tuner::sanitizing {

/// The tools of compute-sanitizer, in the order in which they are run.
enum class SanitizerTool { kMemcheck, kInitcheck, kSynccheck, kRacecheck };
inline constexpr std::array kSanitizerTools{SanitizerTool::kMemcheck, SanitizerTool::kInitcheck,
                                            SanitizerTool::kSynccheck, SanitizerTool::kRacecheck};

/// The name of a tool, as compute-sanitizer knows it.
std::string_view to_string(SanitizerTool tool);

/// A place in the code of a kernel that a finding names.
struct SanitizerPlace {
  std::string role;  ///< What is there: `at`, `Write access`, `Write Thread (0,0,0)`, `called from`.
  std::string function;
  profiling::SourceLine line;
  std::string text;  ///< The text of the line. Empty if it is unknown.

  bool operator==(const SanitizerPlace&) const = default;
};

struct SanitizerFinding {
  bool is_error = true;  ///< Otherwise it is a warning.
  std::string message;
  std::vector<SanitizerPlace> places;
  std::vector<std::string> details;  ///< Further lines of the first report.
  std::size_t count = 1;             ///< Reports with this message and these places.
};

struct SanitizerOutput {
  std::vector<SanitizerFinding> findings;
  /// What belongs to no finding: messages of the tool itself, and lines of an unknown form.
  std::vector<std::string> messages;
  /// The number of errors by the tool's own summary. Without a value there was no summary, so the tool did
  /// not end properly.
  std::optional<std::uint64_t> summary_errors;
  /// The first line that says that the tool did not watch everything. Empty if there is none.
  std::string doubt;
};

/// Reads the text output of compute-sanitizer (Compute Sanitizer User Guide, "Understanding Memcheck Errors"
/// and the corresponding sections of the other tools). Reports with the same message and the same places
/// become one finding. Without places, their details must be the same, too, except for threads and addresses.
/// Lines about the host's calls are left out, because these are warptune's. Every other line is in the
/// result.
SanitizerOutput read_sanitizer_output(std::string_view text);

}  // namespace warptune::tuner::sanitizing
