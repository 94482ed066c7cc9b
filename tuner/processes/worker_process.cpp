#include "tuner/processes/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

#include "base/c_strings.h"
#include "base/error.h"
#include "base/log.h"
#include "base/programs/close_descriptors.h"
#include "tuner/confinement/process_watcher.h"
#include "tuner/processes/worker_program.h"

namespace warptune::tuner::processes {

using protocol::FileDescriptor;
using protocol::MessageChannel;

namespace {

constexpr long kPidfdSendSignal = 424;  // Linux 5.1. The number is the same on all architectures.

struct SocketPair {
  FileDescriptor ours;
  FileDescriptor theirs;
};

SocketPair make_socket_pair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw base::MachineError(
        fmt::format("a worker process cannot be started: socketpair: {}", std::strerror(errno)),
        "raise the limit of open files (ulimit -n)");
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// Runs between fork and exec, where only async-signal-safe calls are allowed.
void arrange_descriptors(int channel, int output, bool logs) {
  constexpr int kOutOfTheWay = 10;  // Copies get numbers from here, so that no `dup2` closes them.
  channel = ::fcntl(channel, F_DUPFD, kOutOfTheWay);
  output = ::fcntl(output, F_DUPFD, kOutOfTheWay);
  const int log = logs ? ::fcntl(STDERR_FILENO, F_DUPFD, kOutOfTheWay) : -1;
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::dup2(channel, kChannelDescriptor);
  if (log >= 0) ::dup2(log, kLogDescriptor);
  base::programs::close_descriptors_from(log >= 0 ? kLogDescriptor + 1 : kLogDescriptor);
}

}  // namespace

WorkerProcess::WorkerProcess(const std::string& name)
    : output_(WorkerOutput::make()), channel_(FileDescriptor()) {
  if (foreign_gpu_loop()) {
    start_thread();
  } else {
    start("gpu", name, nullptr);
  }
}

WorkerProcess::WorkerProcess(const std::string& name, const confinement::Sandbox& sandbox)
    : output_(WorkerOutput::make()), channel_(FileDescriptor()) {
  start("compile", name, &sandbox);
}

WorkerProcess::WorkerProcess(LentProcess lent)
    : pid_(lent.pid),
      pidfd_(std::move(lent.process)),
      lent_number_(lent.number),
      output_(std::move(lent.output)),
      channel_(lent.has_greeted ? MessageChannel::resumed(std::move(lent.socket))
                                : MessageChannel(std::move(lent.socket))) {}

void WorkerProcess::start_thread() {
  SocketPair pair = make_socket_pair();
  // An exception ends the loop alone. The coordinator sees that its end of the socket is closed.
  auto run = [loop = foreign_gpu_loop(), theirs = std::move(pair.theirs)]() mutable {
    try {
      loop(std::move(theirs));
    } catch (const std::exception& error) {
      base::log_debug(fmt::format("a GPU worker in this process ended: {}", error.what()));
    }
  };
  try {
    thread_ = std::thread(std::move(run));
  } catch (const std::system_error& error) {
    throw base::MachineError(fmt::format("a thread cannot be started: {}", error.what()), "");
  }
  channel_ = MessageChannel(std::move(pair.ours));
}

void WorkerProcess::start(const std::string& role, const std::string& name,
                          const confinement::Sandbox* sandbox) {
  SocketPair pair = make_socket_pair();
  const std::string program = worker_program();
  std::vector<std::string> words = {program, "worker", role, std::to_string(kChannelDescriptor), name};
  if (sandbox != nullptr) {
    for (std::string& word : confinement::arguments_of(*sandbox)) words.push_back(std::move(word));
  }
  const std::vector<std::string> variables = worker_environment(sandbox);
  const std::vector<char*> arguments = base::c_strings(words);
  const std::vector<char*> environment = base::c_strings(variables);
  const bool logs = worker_logs(sandbox);
  const pid_t parent = ::getpid();
  const bool leads = sandbox != nullptr && sandbox->runs_programs();
  // SIGINT, SIGTERM and SIGHUP reach the whole process group, and the coordinator decides what happens. The
  // signals are blocked until the worker ignores them. The worker blocks nothing, whatever the calling thread
  // blocks, because limits on CPU time end it by signals.
  sigset_t held;
  sigset_t before;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGINT);
  ::sigaddset(&held, SIGTERM);
  ::sigaddset(&held, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  pid_ = ::fork();
  if (pid_ != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) {
    throw base::MachineError(
        fmt::format("a worker process cannot be started: fork: {}", std::strerror(errno)),
        "raise the limit of processes (ulimit -u)");
  }
  leads_group_ = leads;
  if (leads && pid_ > 0) ::setpgid(pid_, pid_);
  if (pid_ == 0) {
    // Only async-signal-safe calls are allowed until exec.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (leads) ::setpgid(0, 0);
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGCHLD, SIG_DFL);  // A worker for nvcc waits for children; the parent may ignore it.
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (::getppid() != parent) ::_exit(127);  // The parent ended before prctl took effect.
    arrange_descriptors(pair.theirs.get(), output_.descriptor(), logs);
    ::execve(program.c_str(), arguments.data(), environment.data());
    ::_exit(127);
  }
  channel_ = MessageChannel(std::move(pair.ours));
}

void WorkerProcess::allow_cpu(std::chrono::seconds time) {
  clockid_t clock{};
  timespec used{};
  rlimit limit{};
  if (pid_ < 0 || ::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0 ||
      ::prlimit(pid_, RLIMIT_CPU, nullptr, &limit) != 0)
    return;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(used.tv_sec + 1 + time.count()));
  ::prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

bool WorkerProcess::limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  if (pid_ < 0 || ::prlimit(pid_, RLIMIT_DATA, nullptr, &limit) != 0) return false;
  if (limit.rlim_max != RLIM_INFINITY && bytes > limit.rlim_max) return false;
  limit.rlim_cur = bytes;
  return ::prlimit(pid_, RLIMIT_DATA, &limit, nullptr) == 0;
}

std::uint64_t WorkerProcess::let_go() {
  output_.take();  // The next session must not read what it printed in this one.
  pid_ = -1;
  pidfd_.reset();
  return lent_number_;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      thread_(std::move(other.thread_)),
      pidfd_(std::move(other.pidfd_)),
      lent_number_(other.lent_number_),
      leads_group_(other.leads_group_),
      output_(std::move(other.output_)),
      channel_(std::move(other.channel_)),
      distrust_(std::move(other.distrust_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, -1);
    thread_ = std::move(other.thread_);
    pidfd_ = std::move(other.pidfd_);
    lent_number_ = other.lent_number_;
    leads_group_ = other.leads_group_;
    output_ = std::move(other.output_);
    channel_ = std::move(other.channel_);
    distrust_ = std::move(other.distrust_);
  }
  return *this;
}

WorkerProcess::~WorkerProcess() { stop(); }

std::string WorkerProcess::end() {
  std::string how = stop();
  if (!channel_.has_other_version()) return how;
  throw base::MachineError(
      fmt::format("the worker program {} has another version: {}", worker_program(), channel_.problem()),
      "check with `which warptune` which program the PATH finds first");
}

std::string WorkerProcess::stop() {
  const std::string why = problem();
  if (!why.empty()) kill();  // It gets no time to end by itself.
  const std::string how = reap();
  return why.empty() ? how : why;
}

std::string WorkerProcess::problem() const {
  if (!distrust_.empty()) return fmt::format("it sent {}", distrust_);
  if (channel_.problem().empty()) return "";
  if (channel_.has_other_version()) return channel_.problem();
  return fmt::format("it sent something that is not a message: {}", channel_.problem());
}

void WorkerProcess::ask_to_end() {
  if (!has_ended()) ::shutdown(channel_.descriptor(), SHUT_RDWR);
}

void WorkerProcess::kill() {
  if (thread_.joinable()) return ask_to_end();
  if (is_lent()) {
    ::syscall(kPidfdSendSignal, pidfd_.get(), SIGKILL, nullptr, 0);
    return;
  }
  // The program that uses this library may have waited for all of its children. Then the operating system may
  // have given the process id to another process.
  siginfo_t unused{};
  const auto id = static_cast<id_t>(pid_);
  if (pid_ >= 0 && ::waitid(P_PID, id, &unused, WEXITED | WNOHANG | WNOWAIT) == 0)
    ::kill(leads_group_ ? -pid_ : pid_, SIGKILL);
}

std::string WorkerProcess::reap() {
  if (thread_.joinable()) {
    ask_to_end();
    thread_.join();
  }
  if (pid_ < 0) return "ended";
  if (is_lent()) {
    kill();
    pid_ = -1;
    return "ended";
  }
  int status = 0;
  rusage usage{};
  const auto wait_for = [&](int options) {
    const pid_t reaped = ::wait4(pid_, &status, options, &usage);
    if (reaped == pid_) peak_bytes_ = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return reaped;
  };
  // A worker that closed its end may still be ending. This takes a tenth of a second if a driver frees much
  // memory. It gets time to do so, so that its own cause is reported and not "killed".
  for (int attempt = 0; attempt < 300; ++attempt) {
    const pid_t reaped = wait_for(WNOHANG);
    if (reaped == pid_) {
      pid_ = -1;
      if (leads_group_ && WIFSIGNALED(status) && WTERMSIG(status) == confinement::kTooManyProcesses)
        return fmt::format("more than {} of its processes ran at once", confinement::kMaxProcesses);
      if (WIFSIGNALED(status))
        return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
      return fmt::format("exit code {}", WEXITSTATUS(status));
    }
    if (reaped < 0 && errno == ECHILD) {
      // The program has waited for all of its children, or ignores SIGCHLD.
      pid_ = -1;
      return "ended";
    }
    if (attempt == 0) ask_to_end();
    ::usleep(1000);
  }
  kill();
  wait_for(0);
  pid_ = -1;
  return "killed";
}

}  // namespace warptune::tuner::processes
