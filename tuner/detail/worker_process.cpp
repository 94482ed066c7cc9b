#include "tuner/detail/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace warptune::tuner::detail {

using protocol::FileDescriptor;
using protocol::MessageChannel;

namespace {

struct SocketPair {
  FileDescriptor ours;
  FileDescriptor theirs;
};

SocketPair make_socket_pair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw base::MachineError(fmt::format("no worker can be started: socketpair: {}", std::strerror(errno)),
                             "raise the limit of open files (ulimit -n)");
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

std::string worker_program() {
  const char* program = std::getenv("WARPTUNE_WORKER");
  return program != nullptr && *program != '\0' ? program
                                                : std::filesystem::read_symlink("/proc/self/exe").string();
}

WorkerProcess::WorkerProcess(const std::string& role, const std::string& name) : channel_(FileDescriptor()) {
  SocketPair pair = make_socket_pair();
  const std::string program = worker_program();
  const std::string descriptor = std::to_string(pair.theirs.get());
  const pid_t parent = ::getpid();
  // SIGINT and SIGTERM reach the whole process group, and the coordinator decides: they wait until the worker
  // ignores them.
  sigset_t held;
  sigset_t before;
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGINT);
  ::sigaddset(&held, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  pid_ = ::fork();
  if (pid_ != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) {
    throw base::MachineError(fmt::format("no worker can be started: fork: {}", std::strerror(errno)),
                             "raise the limit of processes (ulimit -u)");
  }
  if (pid_ == 0) {
    // Only async-signal-safe calls until exec.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (::getppid() != parent) ::_exit(127);
    ::fcntl(pair.theirs.get(), F_SETFD, 0);
    const char* const arguments[] = {program.c_str(),    "worker",     role.c_str(),
                                     descriptor.c_str(), name.c_str(), nullptr};
    ::execv(program.c_str(), const_cast<char* const*>(arguments));
    ::_exit(127);
  }
  channel_ = MessageChannel(std::move(pair.ours));
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), channel_(std::move(other.channel_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    channel_ = std::move(other.channel_);
  }
  return *this;
}

WorkerProcess::~WorkerProcess() { end(); }

std::string WorkerProcess::end() {
  const std::string how = reap();
  const std::string& problem = channel_.problem();
  return problem.empty() ? how : fmt::format("what it sent was no message: {}", problem);
}

void WorkerProcess::ask_to_end() {
  if (pid_ >= 0) ::shutdown(channel_.descriptor(), SHUT_RDWR);
}

void WorkerProcess::kill() {
  if (pid_ >= 0) ::kill(pid_, SIGKILL);
}

std::string WorkerProcess::reap() {
  if (pid_ < 0) return "ended";
  int status = 0;
  rusage usage{};
  const auto wait_for = [&](int options) {
    const pid_t reaped = ::wait4(pid_, &status, options, &usage);
    if (reaped == pid_) peak_bytes_ = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return reaped;
  };
  // A worker that closed its end may still be on its way out, a tenth of a second where a driver frees much
  // memory: give it a moment so that its own cause shows.
  for (int attempt = 0; attempt < 300; ++attempt) {
    const pid_t reaped = wait_for(WNOHANG);
    if (reaped == pid_) {
      pid_ = -1;
      if (WIFSIGNALED(status))
        return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
      return fmt::format("exit code {}", WEXITSTATUS(status));
    }
    if (attempt == 0) ask_to_end();
    ::usleep(1000);
  }
  ::kill(pid_, SIGKILL);
  wait_for(0);
  pid_ = -1;
  return "killed";
}

}  // namespace warptune::tuner::detail
