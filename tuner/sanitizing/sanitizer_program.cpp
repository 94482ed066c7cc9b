#include "tuner/sanitizing/sanitizer_program.h"

#include <unistd.h>

#include <system_error>

#include "base/environment.h"
#include "base/error.h"
#include "base/shared_library.h"
#include "base/text.h"

namespace warptune::tuner::sanitizing {

namespace fs = std::filesystem;

fs::path find_sanitizer() {
  constexpr const char* kName = "compute-sanitizer";
  std::vector<std::string> folders = base::cuda_program_folders();
  for (std::string& folder : base::split(base::environment_text(base::Variable::kProgramPath), ':')) {
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  for (const std::string& folder : folders) {
    const fs::path program = fs::path(folder) / kName;
    std::error_code ignored;
    if (fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0)
      return fs::absolute(program);
  }
  throw base::MachineError(
      "compute-sanitizer is not found",
      "it belongs to the CUDA Toolkit: install it, or set CUDA_HOME to the folder of the "
      "toolkit that has it");
}

namespace {

// In the name of a log file, compute-sanitizer replaces `%p` and the like.
std::string log_word(const fs::path& report) {
  std::string word;
  for (const char character : report.string()) word += character == '%' ? "%%" : std::string(1, character);
  return word;
}

}  // namespace

std::vector<std::string> sanitizer_command(const fs::path& program, SanitizerTool tool,
                                           const fs::path& report, const std::vector<std::string>& command) {
  std::vector<std::string> words = {program.string(),
                                    "--tool",
                                    std::string(to_string(tool)),
                                    "--log-file",
                                    log_word(report),
                                    "--target-processes",
                                    "application-only",
                                    "--show-backtrace",
                                    "device",
                                    "--strip-paths",
                                    "no",
                                    "--check-exit-code",
                                    "no",
                                    "--print-limit",
                                    "1000"};
  if (tool == SanitizerTool::kMemcheck) {
    // The number of parameters of a kernel is found by asking for one after the other until the driver
    // returns an error. Padding is memory behind each buffer to which every access is an error.
    for (const char* word : {"--report-api-errors", "no", "--padding", "65536"}) words.emplace_back(word);
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace warptune::tuner::sanitizing
