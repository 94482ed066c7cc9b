// Surveying a program, or looking at a stored survey, without the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <variant>

#include "base/error.h"
#include "survey/collecting/capturing/capture_run.h"
#include "survey/collecting/counting/counting_run.h"
#include "survey/collecting/surveyed_run.h"

namespace warptune::tuner::surveying {

/// What to survey and what to make of it.
struct SurveyQuestion {
  /// The program to run, or the file of a stored survey.
  std::variant<survey::collecting::SurveyRequest, std::filesystem::path> source;
  /// What to count in a second run of the program, if anything.
  std::optional<survey::collecting::counting::CountingRequest> counting;
  /// What to capture in a further run of the program, if anything.
  std::optional<survey::collecting::capturing::CaptureRequest> capturing;
  std::filesystem::path capture_output;  ///< The captured launch is stored here.
  /// The database that may have the measured rates of the host link (`knowledge::database_path`).
  std::optional<std::filesystem::path> database;
  std::optional<std::filesystem::path> compared_with;  ///< An earlier survey of the program.
  std::optional<std::filesystem::path> output;         ///< The survey is stored here.
  std::optional<std::filesystem::path> page;           ///< An HTML page is written here.
  std::optional<std::filesystem::path> trace;          ///< A trace for Perfetto is written here.
  bool json = false;  ///< The program's standard output goes to standard error then, so that both stay apart.
};

/// Runs the program or reads the file, stores and shows the survey. Standard output has the survey as text or
/// as JSON. Standard error says how the program ended if it did not end well, and what was written. Throws
/// `base::InputError` for a file that is not a survey, before the program is run, and what `run_surveyed`
/// throws. If a file cannot be written, standard error says so, and the rest is done nevertheless. Returns
/// the exit code for that, or `kDone`.
base::ExitCode survey_and_show(const SurveyQuestion& question);

}  // namespace warptune::tuner::surveying
