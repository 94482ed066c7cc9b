#include "tests/fleet/postgresql/ordinary_user.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>

#include "base/files.h"

namespace warptune::fleet::postgresql::testing {

namespace {

struct User {
  uid_t user;
  gid_t group;
};

std::optional<User> ordinary_user() {
  if (::geteuid() != 0) return std::nullopt;
  for (const char* name : {"postgres", "nobody"})
    if (const passwd* entry = ::getpwnam(name)) return User{entry->pw_uid, entry->pw_gid};
  throw std::runtime_error("there is no user as whom a server can run");
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const std::filesystem::path& log,
                         const std::optional<User>& user) {
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  const int input = ::open("/dev/null", O_RDONLY);
  if (output < 0 || input < 0) ::_exit(126);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (user && (::setgroups(0, nullptr) != 0 || ::setgid(user->group) != 0 || ::setuid(user->user) != 0))
    ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::chdir("/") != 0) ::_exit(126);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

}  // namespace

void give_to_ordinary_user(const std::filesystem::path& path) {
  if (const auto user = ordinary_user(); user && ::chown(path.c_str(), user->user, user->group) != 0)
    throw std::runtime_error("cannot give " + path.string() + " to another user");
}

pid_t start_program(const std::vector<std::string>& arguments, const std::filesystem::path& log) {
  const std::optional<User> user = ordinary_user();
  const pid_t child = ::fork();
  if (child == 0) become(arguments, log, user);
  if (child < 0) throw std::runtime_error("cannot start " + arguments.front());
  return child;
}

void run_program(const std::vector<std::string>& arguments, const std::filesystem::path& log) {
  const pid_t child = start_program(arguments, log);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(arguments.front() + " failed: " + base::read_file(log));
}

}  // namespace warptune::fleet::postgresql::testing
