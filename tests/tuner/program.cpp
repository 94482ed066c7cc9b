#include "tests/tuner/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <utility>

namespace warptune::tuner::testing {

namespace {

// In the child: the streams, the signals' defaults, the program. Ends the process.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& out, const std::string& err) {
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
  for (int descriptor = STDERR_FILENO + 1; descriptor < 20; ++descriptor) ::close(descriptor);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  std::vector<char*> list = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  ::execv(program.c_str(), list.data());
  ::_exit(127);
}

}  // namespace

pid_t Warptune::start_program(const std::string& program, const std::vector<std::string>& arguments) {
  const std::string out = (folder_ / "stdout").string();
  const std::string err = (folder_ / "stderr").string();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::unsetenv("WARPTUNE_WORKER");
  ::setenv("HOME", folder_.path().c_str(), 1);
  ::setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  ::setenv("WARPTUNE", WARPTUNE_BINARY, 1);
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(folder_.path().c_str()) != 0) ::_exit(126);
  become(program, arguments, out, err);
}

pid_t Warptune::start(const std::vector<std::string>& arguments) {
  return start_program(WARPTUNE_BINARY, arguments);
}

ProgramRun Warptune::wait(pid_t pid) const {
  ProgramRun run;
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  run.out = slurp(folder_ / "stdout");
  run.err = slurp(folder_ / "stderr");
  return run;
}

ProgramRun Warptune::run(const std::vector<std::string>& arguments) { return wait(start(arguments)); }

ProgramRun Warptune::shell(const std::string& command) {
  return wait(start_program("/bin/sh", {"-c", command}));
}

nlohmann::json Warptune::json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const ProgramRun done = run(arguments);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json parsed = nlohmann::json::parse(done.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << done.out;
  return parsed;
}

nlohmann::json Warptune::tuned(std::vector<std::string> arguments) {
  const nlohmann::json report = json_of(std::move(arguments));
  EXPECT_TRUE(report.at("error").is_null());
  EXPECT_EQ(report.at("sessions").size(), 1U);
  return report.at("sessions").at(0);
}

std::string Warptune::file(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return (folder_ / name).string();
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    if (!std::getline(file, text)) continue;  // No process, or one that has just gone.
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) continue;
    std::istringstream rest(text.substr(name_end + 1));
    std::string state;
    pid_t its_parent = 0;
    if (rest >> state >> its_parent && its_parent == parent && state != "Z")
      children.push_back(static_cast<pid_t>(std::stoi(text)));
  }
  return children;
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace warptune::tuner::testing
