#include "survey/collecting/surveyed_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/shared_library.h"
#include "base/version.h"
#include "survey/collecting/injection_folder.h"
#include "survey/collecting/program_window.h"
#include "survey/collecting/raw_reader.h"
#include "survey/collecting/started_program.h"

namespace warptune::survey::collecting {

namespace {

void check(const SurveyRequest& request) {
  if (request.command.empty()) throw base::InputError("the program to survey is missing");
  const std::string other = base::environment_text(base::Variable::kCudaInjection);
  if (other.empty()) return;
  throw base::InputError(fmt::format(
      "CUDA_INJECTION64_PATH is set to {}, so another profiler is used; unset it to survey the program",
      other));
}

// Those that do not depend on when the program starts.
std::vector<std::string> fixed_variables(const SurveyRequest& request, const InjectionFolder& folder) {
  const std::string library = folder.library().string();
  std::vector<std::string> variables = {
      "CUDA_INJECTION64_PATH=" + library,
      "WARPTUNE_SURVEY_FOLDER=" + folder.path().string(),
      "WARPTUNE_SURVEY_CUPTI=" + injected_cupti_path(),
      fmt::format("WARPTUNE_SURVEY_LIMIT={}", request.record_limit),
  };
  // A program's own receiver of NVTX ranges stays. The survey then has no ranges.
  if (base::environment_text(base::Variable::kNvtxInjection).empty())
    variables.push_back("NVTX_INJECTION64_PATH=" + library);
  return variables;
}

bool is_running(std::int64_t pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM; }

std::string host_system() {
  utsname system{};
  if (::uname(&system) != 0) return {};
  return fmt::format("{} {} {}", system.sysname, system.release, system.machine);
}

bool has_driver() {
  try {
    const base::SharedLibrary driver({"libcuda.so.1"}, {}, "");
    return true;
  } catch (const base::MachineError&) {
    return false;
  }
}

// Why the whole survey is empty, or an empty text.
std::string problem_of(const records::Survey& survey, const RawStreams& streams) {
  const auto seconds_after_begin = [&](std::uint64_t time) {
    return static_cast<double>(time - streams.began) / kNanosecondsPerSecond;
  };
  if (streams.ended <= streams.window_start) {
    return fmt::format(
        "The program ended {:.1f} s after its start, before the time to record began, so nothing was "
        "recorded.",
        seconds_after_begin(streams.ended));
  }
  if (survey.processes.empty()) {
    return fmt::format(
        "No process of the program initialised CUDA under this user's name, so nothing was recorded.{}",
        has_driver() ? "" : " This machine has no CUDA driver: libcuda.so.1 cannot be loaded.");
  }
  const auto first = std::min_element(
      survey.processes.begin(), survey.processes.end(),
      [](const records::Process& a, const records::Process& b) { return a.time.start < b.time.start; });
  const auto start = streams.began + static_cast<std::uint64_t>(first->time.start);
  if (streams.window_stop == 0 || start < streams.window_stop) return "";
  return fmt::format(
      "The program initialised CUDA {:.1f} s after its start, when the time to record was over, so nothing "
      "was recorded.",
      seconds_after_begin(start));
}

}  // namespace

records::Survey run_surveyed(const SurveyRequest& request) {
  check(request);
  const ForwardedSignals signals;  // No signal ends this process before the folder is removed.
  const InjectionFolder folder;
  RawStreams streams;
  streams.folder = folder.path();
  streams.range = request.range;
  streams.is_running = is_running;
  const std::int64_t started_ms = base::unix_time_ms();
  std::vector<std::string> variables = fixed_variables(request, folder);
  const ProgramWindow window = window_from_now(request.after, request.duration);
  streams.began = window.began;
  streams.window_start = window.start;
  streams.window_stop = window.stop;
  for (const std::string& variable : window.variables()) variables.push_back(variable);
  const ProgramEnd end = run_program(request.command, variables);
  streams.ended = monotonic_ns();
  streams.program = end.pid;
  streams.program_was_killed = end.signal.has_value();
  records::Survey survey = read_raw_streams(streams);
  records::Run& run = survey.run;
  run.command = request.command;
  run.duration = static_cast<std::int64_t>(streams.ended - streams.began);
  run.exit_code = end.exit_code;
  run.signal = end.signal;
  run.range = request.range;
  run.host_system = host_system();
  run.started_ms = started_ms;
  run.warptune_version = base::kVersion;
  if (run.problem.empty()) run.problem = problem_of(survey, streams);
  return survey;
}

}  // namespace warptune::survey::collecting
