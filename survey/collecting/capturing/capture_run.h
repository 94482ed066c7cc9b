// Runs a surveyed program once more, and captures one launch of a kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiling/captures/captured_launch.h"
#include "survey/collecting/surveyed_run.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting::capturing {

/// What to capture.
struct CaptureRequest {
  std::string kernel;        ///< The kernel, as a person names it.
  std::uint64_t launch = 1;  ///< The number of the launch among those of the kernel in its process, from 1.
  std::uint64_t limit_mib = 1024;  ///< The most bytes of all buffers together, in MiB.
};

/// A captured launch, or why there is none, as sentences.
struct CaptureOutcome {
  std::optional<profiling::captures::CapturedLaunch> launch;
  std::string problem;
};

/// Runs the program of `run` again, and captures the launch in the process that makes it first. Each process
/// counts its own launches. `name` is the
/// number of the kernel's name in `survey`. Launches outside of the time that `run` selects do not count, nor
/// do launches that become nodes of graphs. It throws nothing but `base::InternalError`: a survey
/// without a capture is better than none.
CaptureOutcome capture_launch(const SurveyRequest& run, const CaptureRequest& request,
                              const records::Survey& survey, records::Index name);

}  // namespace warptune::survey::collecting::capturing
