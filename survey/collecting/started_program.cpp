#include "survey/collecting/started_program.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "base/c_strings.h"
#include "base/error.h"

namespace warptune::survey::collecting {

namespace {

// The program to which signals go, or 0.
std::atomic<pid_t> receiver{0};
std::atomic<int> nested{0};  // Objects of `ForwardedSignals`.
// A signal that came before there was a program.
std::atomic<int> early_signal{0};
// Whether a signal came that asks for the end.
std::atomic<bool> has_signal{false};
static_assert(std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void forward(int number, siginfo_t* info, void*) {
  if (number != SIGUSR1 && number != SIGUSR2 && number != SIGALRM) has_signal.store(true);
  const pid_t pid = receiver.load();
  if (pid == 0) {
    early_signal.store(number);
  } else if (info->si_code <= 0) {  // The kernel sends a terminal's to the program, too.
    ::kill(pid, number);
  }
}

std::string_view name_of(const std::string& variable) {
  return std::string_view(variable).substr(0, variable.find('='));
}

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> result = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string old = *entry;
    const auto replaces = [&](const std::string& added) { return name_of(added) == name_of(old); };
    if (std::none_of(variables.begin(), variables.end(), replaces)) result.push_back(old);
  }
  return result;
}

pid_t start(const std::vector<std::string>& command, const std::vector<std::string>& variables) {
  const std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> arguments = base::c_strings(command);
  const std::vector<char*> entries = base::c_strings(environment);
  pid_t pid = 0;
  // Handlers become the default in the program, as exec does; ignored signals stay ignored.
  const int error =
      ::posix_spawnp(&pid, command.front().c_str(), nullptr, nullptr, arguments.data(), entries.data());
  if (error != 0) {
    throw base::InputError(
        fmt::format("the program {} cannot be started: {}", command.front(), std::strerror(error)));
  }
  return pid;
}

}  // namespace

ForwardedSignals::ForwardedSignals() {
  if (nested++ == 0) {
    early_signal.store(0);
    has_signal.store(false);
  }
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

ForwardedSignals::~ForwardedSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  --nested;
}

InputPlace::InputPlace() {
  struct stat about {};
  if (::fstat(STDIN_FILENO, &about) != 0 || !S_ISREG(about.st_mode)) return;
  if (const off_t place = ::lseek(STDIN_FILENO, 0, SEEK_CUR); place >= 0) place_ = place;
}

void InputPlace::restore() const {
  if (place_) ::lseek(STDIN_FILENO, *place_, SEEK_SET);
}

bool signal_came() { return has_signal.load(); }

ProgramEnd run_program(const std::vector<std::string>& command, const std::vector<std::string>& variables) {
  if (command.empty() || command.front().empty()) throw base::InputError("the program to run is missing");
  const ForwardedSignals signals;
  const pid_t pid = start(command, variables);
  receiver.store(pid);
  if (const int early = early_signal.exchange(0); early != 0) ::kill(pid, early);
  // The process keeps its number until it is reaped, so no signal goes to another one.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  receiver.store(0);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  ProgramEnd end;
  end.pid = pid;
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

}  // namespace warptune::survey::collecting
