#include "tests/fleet/postgresql/server_cleaner.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <utility>

namespace warptune::fleet::postgresql::testing {

namespace {

// $1 is the folder to be removed, $2 that of the data. A server works in the folder of its data, so a process
// that has got the number of an ended server is not mistaken for it. The seventh line of postmaster.pid has
// the key and the id of the shared memory, which a server that was killed leaves behind.
constexpr const char* kClean = R"sh(
read -r nothing
pid=$(head -n 1 "$2/postmaster.pid" 2>/dev/null)
memory=$(sed -n 7p "$2/postmaster.pid" 2>/dev/null | awk '{print $2}')
runs() { [ -n "$pid" ] && [ "$(readlink "/proc/$pid/cwd")" = "$2" ]; }
if runs "$@"; then kill -QUIT "$pid"; fi
tries=0
while runs "$@" && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
if runs "$@"; then kill -KILL "$pid"; fi
if [ -n "$memory" ]; then ipcrm -m "$memory" 2>/dev/null; fi
tries=0
while [ -e "$1" ] && [ $tries -lt 200 ]; do rm -rf "$1"; [ -e "$1" ] && sleep 0.1; tries=$((tries + 1)); done
)sh";

std::array<base::Descriptor, 2> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {base::Descriptor(ends[0]), base::Descriptor(ends[1])};
}

// In a child process, which may call only what is safe after a fork.
[[noreturn]] void become_cleaner(int input, int output, const char* folder, const char* data) {
  // A signal to the group of the test, or to all of its descendants, must not reach the cleaner.
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  const int nothing = ::open("/dev/null", O_WRONLY);
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 ||
      ::dup2(nothing, STDERR_FILENO) < 0 || ::chdir("/") != 0)
    ::_exit(126);
  ::execl("/bin/sh", "sh", "-c", kClean, "sh", folder, data, nullptr);
  ::_exit(127);
}

}  // namespace

ServerCleaner::ServerCleaner(const std::filesystem::path& folder, const std::filesystem::path& data) {
  std::array<base::Descriptor, 2> lives = make_pipe();
  std::array<base::Descriptor, 2> cleaned = make_pipe();
  const std::string removed = std::filesystem::canonical(folder).string();
  const std::string worked_in = std::filesystem::weakly_canonical(data).string();
  const pid_t child = ::fork();
  if (child == 0) become_cleaner(lives[0].get(), cleaned[1].get(), removed.c_str(), worked_in.c_str());
  if (child < 0) throw std::runtime_error("the process that cleans up cannot be started");
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  lives_ = std::move(lives[1]);
  cleaned_ = std::move(cleaned[0]);
}

ServerCleaner::~ServerCleaner() {
  lives_ = {};
  char nothing = 0;
  while (::read(cleaned_.get(), &nothing, 1) < 0 && errno == EINTR) {
  }
}

}  // namespace warptune::fleet::postgresql::testing
