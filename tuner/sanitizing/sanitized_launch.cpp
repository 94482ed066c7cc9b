#include "tuner/sanitizing/sanitized_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/files.h"
#include "base/programs/run_program.h"
#include "base/text.h"
#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_program.h"
#include "tuner/protocol/codec.h"
#include "tuner/sanitizing/sanitizer_program.h"
#include "tuner/workers/launch_worker.h"

namespace warptune::tuner::sanitizing {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kMaxReportBytes = std::uintmax_t{16} << 20;
constexpr std::size_t kMaxMessages = 50;

bool is_too_large(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  return !error && bytes > kMaxReportBytes;
}

// What a program has written into a file of the scratch folder. Empty if there is none or it is too large.
std::string written(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return "";
  return base::read_own_file(file, kMaxReportBytes).value_or("");
}

// Why the worker did not launch. Empty if it did.
std::string problem_in_answer(const fs::path& file) {
  const std::string bytes = written(file);
  if (bytes.empty()) return "the worker ended before it had launched the configuration";
  const base::Result<protocol::Message> message = protocol::decode(bytes);
  if (!message) return "the worker wrote an answer that is not a message: " + message.error();
  if (const auto* const failure = std::get_if<protocol::Failure>(&*message)) return failure->message;
  const auto* const launched = std::get_if<protocol::LaunchedOnce>(&*message);
  if (launched == nullptr) return "the worker wrote an unexpected answer";
  return launched->problem.empty() ? "" : "the launch failed: " + launched->problem;
}

void add_lines(std::string_view text, std::vector<std::string>& messages) {
  for (const std::string& line : base::split(text, '\n')) {
    if (!base::trim(line).empty()) messages.push_back(line);
  }
}

std::string end_of(const base::programs::ProgramEnd& run) {
  if (run.signal) return fmt::format("by signal {} ({})", *run.signal, ::strsignal(*run.signal));
  return fmt::format("with exit code {}", run.exit_code.value_or(-1));
}

// Why the check is not complete, although the program ended by itself.
std::string problem_of(const ToolRun& result, const SanitizerOutput& output,
                       const base::programs::ProgramEnd& run, const fs::path& report,
                       const fs::path& answer) {
  if (is_too_large(report)) return "compute-sanitizer wrote a report of more than 16 MiB, which is not read";
  if (!output.summary_errors)
    return fmt::format("compute-sanitizer ended {}, without a summary", end_of(run));
  const auto is_error = [](const SanitizerFinding& finding) { return finding.is_error; };
  const bool has_errors = std::any_of(result.findings.begin(), result.findings.end(), is_error);
  if (*output.summary_errors > 0 && !has_errors)
    return fmt::format("compute-sanitizer counts {}, but warptune does not recognise {} in its output",
                       base::counted(*output.summary_errors, "error"),
                       *output.summary_errors == 1 ? "it" : "them");
  if (!output.doubt.empty()) return "compute-sanitizer wrote: " + output.doubt;
  return has_errors ? "" : problem_in_answer(answer);  // An error may be the reason why the launch failed.
}

}  // namespace

ToolRun sanitize_launch(const fs::path& program, SanitizerTool tool, protocol::LaunchOnce launch,
                        std::chrono::seconds limit, explaining::SourceTexts& texts,
                        const base::Cancellation& cancellation) {
  ToolRun result;
  result.tool = tool;
  const confinement::ScratchFolder folder;
  if (folder.path().empty())
    throw base::MachineError("no folder for temporary files can be made",
                             "set TMPDIR to one that is writable");
  const fs::path request = folder.path() / "request";
  const fs::path report = folder.path() / "report";
  const fs::path printed = folder.path() / "printed";
  constexpr std::chrono::seconds kMargin{5};
  launch.deadline_s = (limit + kMargin).count();
  base::write_file_atomically(request, protocol::encode(launch));
  const auto began = std::chrono::steady_clock::now();
  std::optional<base::programs::ProgramEnd> run;
  try {
    run = base::programs::run_program(
        sanitizer_command(program, tool, report,
                          {processes::worker_program(), "worker", "launch", request.string(), "launch"}),
        processes::worker_environment(nullptr), printed, base::programs::ProgramLimit{limit, cancellation});
  } catch (const base::MachineError& error) {
    result.problem = error.what();
  }
  result.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  SanitizerOutput output = read_sanitizer_output(written(report));
  result.findings = std::move(output.findings);
  result.messages = std::move(output.messages);
  for (SanitizerFinding& finding : result.findings) {
    for (SanitizerPlace& place : finding.places) place.text = texts.text_of(place.line);
  }
  if (!run) {
    add_lines(written(printed), result.messages);
    return result;
  }
  if (!run->exit_code && !run->signal) {
    result.problem = fmt::format("it did not end within {} s", limit.count());
  } else {
    result.problem = problem_of(result, output, *run, report, workers::answer_file(request));
  }
  // Without a report, the reason is in what the programs have printed.
  if (!output.summary_errors && result.findings.empty()) {
    add_lines(written(printed), result.messages);
    if (is_too_large(printed))
      result.messages.emplace_back("more than 16 MiB were printed, which are left out");
  }
  if (result.messages.size() > kMaxMessages) {
    const std::size_t more = result.messages.size() - kMaxMessages;
    result.messages.resize(kMaxMessages);
    result.messages.push_back(base::counted(more, "more line"));
  }
  return result;
}

}  // namespace warptune::tuner::sanitizing
