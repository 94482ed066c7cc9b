#include "survey/collecting/surveyed_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/shared_library.h"
#include "base/version.h"
#include "survey/collecting/injection_library.h"
#include "survey/collecting/raw_reader.h"
#include "survey/collecting/started_program.h"

namespace warptune::survey::collecting {

namespace fs = std::filesystem;

namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

// A folder for this user alone, which is removed at the end.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string pattern = (error ? fs::path("/tmp") : parent) / "warptune-survey-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw base::MachineError(fmt::format("no temporary folder {}: {}", pattern, std::strerror(errno)),
                               "set TMPDIR to a folder with space that you may write to");
    }
    path_ = pattern;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// The loader refuses libraries of a file system that is mounted so.
void require_executable(const fs::path& folder) {
  struct statvfs system {};
  if (::statvfs(folder.c_str(), &system) != 0 || (system.f_flag & ST_NOEXEC) == 0) return;
  throw base::MachineError(
      fmt::format("no library can be loaded from {}, which is mounted with noexec", folder.string()),
      "set TMPDIR to a folder from which programs can be run");
}

fs::path write_library(const fs::path& folder) {
  require_executable(folder);
  fs::path path = folder / "libwarptune_survey_injection.so";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  std::string_view rest = injection_library();
  bool failed = file < 0;
  while (!failed && !rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    failed = written < 0 && errno != EINTR;
  }
  const int error = errno;
  if (file >= 0 && ::close(file) != 0) failed = true;
  if (failed) {
    throw base::MachineError(fmt::format("{} cannot be written: {}", path.string(), std::strerror(error)),
                             "set TMPDIR to a folder with space that you may write to");
  }
  return path;
}

// The path of CUPTI, or an empty text if only the program's loader knows it. Loading the library here would
// cost as much as starting a small program.
std::string cupti_path() {
  std::error_code ignored;
  for (const std::string& folder : base::cuda_library_folders()) {
    const fs::path path = fs::path(folder) / "libcupti.so.13";
    if (fs::exists(path, ignored)) return fs::absolute(path, ignored).string();
  }
  const base::SharedLibrary library({"libcupti.so.13", "libcupti.so"}, base::cuda_library_folders(),
                                    "install CUPTI of CUDA 13 or set CUDA_HOME to the toolkit that has it");
  return fs::path(library.path()).is_absolute() ? library.path() : std::string();
}

std::uint64_t nanoseconds(const std::optional<double>& seconds) {
  return seconds ? static_cast<std::uint64_t>(std::llround(*seconds * kNanosecondsPerSecond)) : 0;
}

void check(const SurveyRequest& request) {
  if (request.command.empty()) throw base::InputError("the program to survey is missing");
  const std::string other = base::environment_text(base::Variable::kCudaInjection);
  if (other.empty()) return;
  throw base::InputError(fmt::format(
      "CUDA_INJECTION64_PATH is set to {}, so another profiler is used; unset it to survey the program",
      other));
}

// Those that do not depend on when the program starts.
std::vector<std::string> fixed_variables(const SurveyRequest& request, const fs::path& folder) {
  const std::string library = write_library(folder).string();
  std::vector<std::string> variables = {
      "CUDA_INJECTION64_PATH=" + library,
      "WARPTUNE_SURVEY_FOLDER=" + folder.string(),
      "WARPTUNE_SURVEY_CUPTI=" + cupti_path(),
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

// Why the whole survey is empty, or an empty text.
std::string problem_of(const records::Survey& survey, const RawStreams& streams) {
  if (survey.processes.empty())
    return "No process of the program initialised CUDA under this user's name, so nothing was recorded.";
  const auto seconds_after_begin = [&](std::uint64_t time) {
    return static_cast<double>(time - streams.began) / kNanosecondsPerSecond;
  };
  if (streams.ended <= streams.window_start) {
    return fmt::format(
        "The program ended {:.1f} s after its start, before the time to record began, so nothing was "
        "recorded.",
        seconds_after_begin(streams.ended));
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
  const PrivateFolder folder;
  RawStreams streams;
  streams.folder = folder.path();
  streams.range = request.range;
  streams.is_running = is_running;
  const std::int64_t started_ms = base::unix_time_ms();
  std::vector<std::string> variables = fixed_variables(request, folder.path());
  streams.began = monotonic_ns();
  streams.window_start = streams.began + nanoseconds(request.after);
  if (request.duration) streams.window_stop = streams.window_start + nanoseconds(request.duration);
  variables.push_back(fmt::format("WARPTUNE_SURVEY_START={}", streams.window_start));
  variables.push_back(fmt::format("WARPTUNE_SURVEY_STOP={}", streams.window_stop));
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
