#include "tests/tuner/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace warptune::tuner::testing {

namespace {

// The environment of this process without WARPTUNE_WORKER, in which `variables` replace others of their
// names.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (name != "WARPTUNE_WORKER" && variables.count(name) == 0) entries.emplace_back(*entry);
  }
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What a process does between its start and its program: the folder, the streams, the signals' defaults.
class SpawnSetting {
 public:
  SpawnSetting(const std::string& folder, const std::string& out, const std::string& err) {
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, out.c_str(), kWrite, 0644);
    ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, err.c_str(), kWrite, 0644);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    ::posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    ::sigemptyset(&defaults);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::sigaddset(&defaults, number);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSetting(const SpawnSetting&) = delete;
  SpawnSetting& operator=(const SpawnSetting&) = delete;
  ~SpawnSetting() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

// `fork` would copy the page tables of the test program, which take long with the sanitizers.
pid_t Warptune::start_program(const std::string& program, const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> changed = {{"HOME", folder_.path().string()},
                                                {"XDG_DATA_HOME", (folder_ / "data").string()},
                                                {"CUDA_VISIBLE_DEVICES", "-1"},
                                                {"WARPTUNE", WARPTUNE_BINARY}};
  for (const auto& [name, value] : variables) changed[name] = value;
  std::vector<std::string> entries = environment_with(changed);
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const SpawnSetting setting(folder_.path().string(), (folder_ / "stdout").string(),
                             (folder_ / "stderr").string());
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), setting.actions(), setting.attributes(),
                                  pointers_to(words).data(), pointers_to(entries).data());
  EXPECT_EQ(error, 0) << program << " cannot be started";
  return error == 0 ? pid : -1;
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
