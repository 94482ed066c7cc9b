// Runs a program and records what it does on the GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::collecting {

/// What to run, and what to keep of it.
struct SurveyRequest {
  std::vector<std::string>
      command;                     ///< The program and its arguments. The program is searched for in `PATH`.
  std::optional<double> after;     ///< In seconds. Records begin so long after the program's start.
  std::optional<double> duration;  ///< In seconds. Records end so long after they began; the program goes on.
  std::string range;  ///< Only records within NVTX ranges of this name are kept. All are if it is empty.
  std::int64_t record_limit =
      4'000'000;  ///< The limit of each process. Launches beyond it are counted by shape.
};

/// Runs the program with its own input and output, waits for it, and returns what was seen. Signals that a
/// terminal sends reach the program; the survey ends with it. A program that crashes, is killed or uses no
/// CUDA gives the survey of what was seen. Throws `base::InputError` if the program cannot be started, and
/// `base::MachineError` if CUPTI is missing.
records::Survey run_surveyed(const SurveyRequest& request);

}  // namespace warptune::survey::collecting
