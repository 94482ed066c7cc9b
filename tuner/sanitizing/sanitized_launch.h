#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "tuner/explaining/source_lines.h"
#include "tuner/protocol/gpu_requests.h"
#include "tuner/sanitizing/sanitizer_output.h"

namespace warptune::tuner::sanitizing {

/// What one tool said about one launch.
struct ToolRun {
  SanitizerTool tool = SanitizerTool::kMemcheck;
  std::vector<SanitizerFinding> findings;
  std::vector<std::string> messages;  ///< What the tool wrote besides findings.
  std::string problem;                ///< Why the check is not complete. Empty if it is.
  std::string skipped;                ///< Why the tool was not run. Empty if it was.
  double elapsed_s = 0.0;
};

/// Lets a worker process make one launch under a tool. `program` is compute-sanitizer. After `limit` both are
/// ended. The findings have the texts of their lines from `texts`. Nothing that a launch or the tool does
/// throws: `ToolRun::problem` says what went wrong. Throws `base::MachineError` if files for the worker
/// cannot be written.
ToolRun sanitize_launch(const std::filesystem::path& program, SanitizerTool tool, protocol::LaunchOnce launch,
                        std::chrono::seconds limit, explaining::SourceTexts& texts,
                        const base::Cancellation& cancellation);

}  // namespace warptune::tuner::sanitizing
