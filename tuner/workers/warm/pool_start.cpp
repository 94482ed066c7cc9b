// Starts the pool. The session makes the socket and gives it to the pool, so it can connect before the pool's
// process runs. A lock makes sure that there is one pool: the pool holds it as long as it runs, and the
// operating system releases it however the pool ends. A socket that a killed pool has left is replaced by
// whoever gets the lock.
#include "tuner/workers/warm/pool_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/c_strings.h"
#include "base/programs/close_descriptors.h"
#include "tuner/confinement/sandbox.h"
#include "tuner/processes/worker_program.h"
#include "tuner/workers/warm/packets.h"

namespace warptune::tuner::workers::warm {

using protocol::FileDescriptor;

namespace {

// The locked file. Empty if a pool holds the lock, or another session that starts one.
FileDescriptor lock_of(const Place& place) {
  FileDescriptor file(::openat(place.folder.get(), place.lock().c_str(),
                               O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return FileDescriptor();
  // A pool that ends removes its file. Then this lock excludes nobody.
  struct stat locked {};
  struct stat named {};
  const bool is_current =
      ::fstat(file.get(), &locked) == 0 &&
      ::fstatat(place.folder.get(), place.lock().c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
  // A killed pool has left its process id.
  return is_current && ::ftruncate(file.get(), 0) == 0 ? std::move(file) : FileDescriptor();
}

// The variables that compile workers get, the program of workers, and where scratch folders are made.
std::vector<std::string> pool_environment(const std::string& program, const Place& place) {
  std::vector<std::string> variables = environment_of_workers();
  variables.push_back("WARPTUNE_WORKER=" + program);
  variables.push_back("TMPDIR=" + place.temporary.string());
  return variables;
}

// Runs between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become_pool(int listener, int lock, char** arguments, char** environment) {
  constexpr int kOutOfTheWay = 10;  // Copies get numbers from here, so that no `dup2` closes them.
  listener = ::fcntl(listener, F_DUPFD, kOutOfTheWay);
  lock = ::fcntl(lock, F_DUPFD, kOutOfTheWay);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, standard);
  if (::dup2(listener, kListenerDescriptor) < 0 || ::dup2(lock, kLockDescriptor) < 0 || ::chdir("/") != 0)
    ::_exit(127);
  base::programs::close_descriptors_from(kLockDescriptor + 1);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

}  // namespace

std::vector<std::string> environment_of_workers() {
  const confinement::Sandbox any;
  std::vector<std::string> variables = processes::worker_environment(&any);
  std::erase_if(variables, [](const std::string& variable) {
    return variable.starts_with("WARPTUNE_") && !variable.starts_with("WARPTUNE_CUDA_PATH=");
  });
  return variables;
}

bool start_pool(const Place& place) {
  // The pool changes its working directory.
  std::error_code error;
  const std::string program = std::filesystem::absolute(processes::worker_program(), error).string();
  if (error) return false;
  const FileDescriptor lock = lock_of(place);
  if (!lock) return false;
  const FileDescriptor listener = listen_at(place);
  if (!listener) return false;
  const std::vector<std::string> words = {program, "worker", "pool", std::to_string(kListenerDescriptor),
                                          std::to_string(kLockDescriptor)};
  const std::vector<std::string> variables = pool_environment(program, place);
  const std::vector<char*> arguments = base::c_strings(words);
  const std::vector<char*> environment = base::c_strings(variables);
  const pid_t child = ::fork();
  if (child == 0) {
    // The child of the child is the pool. It belongs to the system, and nobody has to wait for it.
    ::setsid();
    if (const pid_t pool = ::fork(); pool != 0) ::_exit(pool < 0 ? 1 : 0);
    become_pool(listener.get(), lock.get(), const_cast<char**>(arguments.data()),
                const_cast<char**>(environment.data()));
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0;
}

}  // namespace warptune::tuner::workers::warm
