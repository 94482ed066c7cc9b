// What changed between two surveys of a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "survey/analysis/survey_analysis.h"

namespace warptune::survey::analysis {

enum class ChangeKind { kRun, kKernel, kCopies, kIdle };

/// The name of a kind in JSON: `run`, `kernel`, `copies`, `idle`.
std::string_view to_string(ChangeKind kind);

/// The time of one thing in both surveys.
struct Change {
  ChangeKind kind = ChangeKind::kRun;
  /// The demangled name of a kernel; the kind of copies, such as `host to device, pageable`; or the cause of
  /// idle time, such as `waiting`. It is empty for the run.
  std::string name;
  std::int64_t before = 0;  ///< In nanoseconds.
  std::int64_t after = 0;
  /// Launches or copies. Both are 0 for idle time and the run.
  std::int64_t before_count = 0;
  std::int64_t after_count = 0;

  std::int64_t difference() const { return after - before; }
  /// Whether only one of the surveys has it.
  bool is_new() const { return before_count == 0 && after_count > 0; }
  bool is_gone() const { return before_count > 0 && after_count == 0; }
};

/// All changes that are larger than the noise between two runs, the largest first.
struct SurveyComparison {
  /// Why the times of the surveys cannot be compared as they are, as sentences: they saw different parts of
  /// the runs, or ran on different GPUs, or records are missing. It is empty if they are alike.
  std::vector<std::string> warnings;
  Change run;                   ///< The whole runs, with the time before and after the survey's window.
  std::vector<Change> changes;  ///< Kernels, copies and idle time.
  std::int64_t unchanged = 0;   ///< How many others changed less.
};

/// A change is shown if it is at least this part of the longer observed time, and this part of the larger of
/// its own two times. Runs of one program on one GPU differ by 1 to 2 % because of clocks and the host, and a
/// single short part of them by more.
constexpr double kNoiseOfRun = 0.01;
constexpr double kNoiseOfPart = 0.05;

/// Compares two surveys, for example of a program before and after a change. Kernels are matched by their
/// demangled names, whatever their geometry. Idle time is the sum over all GPUs
/// that were used.
SurveyComparison compare(const records::Survey& before, const SurveyAnalysis& before_analysis,
                         const records::Survey& after, const SurveyAnalysis& after_analysis);

}  // namespace warptune::survey::analysis
