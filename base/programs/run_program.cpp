#include "base/programs/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "base/c_strings.h"
#include "base/error.h"
#include "base/programs/close_descriptors.h"

namespace warptune::base::programs {

namespace {

constexpr int kNotStarted = 127;  // As a shell's for a program that it cannot start.

// Runs between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become_program(pid_t parent, bool leads_group, const char* output, char* const* arguments,
                                 char* const* environment) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (leads_group) ::setpgid(0, 0);
  ::signal(SIGCHLD, SIG_DFL);  // The program waits for children; the parent may ignore the signal.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::getppid() != parent) ::_exit(kNotStarted);  // The parent ended before prctl took effect.
  const int file = ::open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (file < 0 || nothing < 0) ::_exit(kNotStarted);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  close_descriptors_from(STDERR_FILENO + 1);
  ::execve(arguments[0], arguments, environment);
  ::_exit(kNotStarted);
}

// Waits until the program has ended or must be killed, and kills its group. Returns whether it must be
// killed.
bool wait_within(pid_t child, const ProgramLimit& limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit.time;
  bool is_late = false;
  siginfo_t info{};
  // The program keeps its number until it is reaped, so no other process is killed.
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0 && !is_late) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    is_late = limit.cancellation.is_cancelled() || std::chrono::steady_clock::now() > deadline;
  }
  ::kill(-child, SIGKILL);  // Also what the program has left running.
  return is_late;
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                       const std::filesystem::path& output, const std::optional<ProgramLimit>& limit) {
  const std::vector<char*> words = c_strings(arguments);
  const std::vector<char*> variables = c_strings(environment);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become_program(parent, limit.has_value(), output.c_str(), words.data(), variables.data());
  if (child < 0)
    throw MachineError(fmt::format("{} cannot be started: {}", arguments.front(), std::strerror(errno)),
                       "raise the limit of processes (ulimit -u)");
  if (limit) ::setpgid(child, child);  // Whichever of the two processes is first.
  const bool is_late = limit && wait_within(child, *limit);
  int status = 0;
  pid_t reaped = 0;
  while ((reaped = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (is_late) return {};
  if (reaped < 0)
    throw MachineError(fmt::format("it is unknown how {} ended", arguments.front()),
                       "do not let warptune start with SIGCHLD ignored");
  if (WIFSIGNALED(status)) return {std::nullopt, WTERMSIG(status)};
  std::error_code missing;
  const bool has_printed = std::filesystem::file_size(output, missing) > 0 && !missing;
  if (WEXITSTATUS(status) == kNotStarted && !has_printed)
    throw MachineError(fmt::format("{} cannot be started", arguments.front()), "");
  return {WEXITSTATUS(status), std::nullopt};
}

}  // namespace warptune::base::programs
