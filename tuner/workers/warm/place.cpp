#include "tuner/workers/warm/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/environment.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/version.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/compiler.h"
#include "tuner/processes/worker_program.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::warm {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxSeconds = 3600;
constexpr std::string_view kLockEnding = ".lock";

// Opens a folder that belongs to this user, and that nobody else may open. Does not follow a link.
base::Descriptor open_private(const fs::path& folder) {
  base::Descriptor opened(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (opened &&
      (::fstat(opened.get(), &status) != 0 || status.st_uid != ::geteuid() || (status.st_mode & 077) != 0))
    opened.reset();
  return opened;
}

// The folders in which a pool's files may be, in the order in which they are tried.
std::vector<fs::path> candidate_folders() {
  std::vector<fs::path> folders;
  const fs::path runtime = base::environment_text(base::Variable::kRuntimeFolder);
  if (runtime.is_absolute() && open_private(runtime)) folders.push_back(runtime / "warptune");
  const fs::path cache = kernel_templates::default_compile_cache();
  if (!cache.empty()) folders.push_back(cache.parent_path() / "warm-workers");
  return folders;
}

// Adds named texts. A text that cannot be read makes all of them useless.
class Identity {
 public:
  void add(std::string_view name, std::string_view text) {
    text_ += fmt::format("{}[{}]={}\n", name, text.size(), text);
  }
  void require(std::string_view name, std::string_view text) {
    is_known_ = is_known_ && !text.empty();
    add(name, text);
  }
  std::string name() const { return is_known_ ? base::hash_hex(text_).substr(0, 32) : ""; }

 private:
  std::string text_;
  bool is_known_ = true;
};

std::string file_identity(const fs::path& path) {
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return "";
  return fmt::format("{} {} {} {} {}.{}", path.string(), status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string link_of(const fs::path& path) {
  std::error_code ignored;
  return fs::read_symlink(path, ignored).string();
}

std::string boot() { return content_of("/proc/sys/kernel/random/boot_id"); }

// The lines on capabilities, on system calls that are forbidden, and on the mode of new files.
std::string privileges() {
  std::ifstream file("/proc/thread-self/status");
  std::string kept;
  for (std::string line; std::getline(file, line);) {
    for (const std::string_view start : {"Cap", "NoNewPrivs", "Seccomp", "Umask"}) {
      if (line.starts_with(start)) kept += line + "\n";
    }
  }
  return kept;
}

// What the kernel lets a process do, apart from its user: workers of a pool inherit it from the session that
// started the pool.
void add_process(Identity& identity) {
  identity.add("user", fmt::format("{} {} {} {}", ::getuid(), ::geteuid(), ::getgid(), ::getegid()));
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  ::getgroups(static_cast<int>(groups.size()), groups.data());
  identity.add("groups", fmt::format("{}", fmt::join(groups, " ")));
  for (const char* space : {"cgroup", "mnt", "net", "pid", "user"})
    identity.require(space, link_of(fs::path("/proc/self/ns") / space));
  identity.require("root", file_identity("/"));
  identity.require("control group", content_of("/proc/self/cgroup"));
  identity.require("boot", boot());
  identity.require("privileges", privileges());
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  ::sched_getaffinity(0, sizeof(cpus), &cpus);
  identity.add("cpus", {reinterpret_cast<const char*>(&cpus), sizeof(cpus)});
  identity.add("scheduling", fmt::format("{} {}", ::sched_getscheduler(0), ::getpriority(PRIO_PROCESS, 0)));
  for (const auto resource : {RLIMIT_AS, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_STACK}) {
    rlimit limit{};
    ::getrlimit(resource, &limit);
    identity.add("limit", fmt::format("{} {}", limit.rlim_cur, limit.rlim_max));
  }
}

std::string name_of_pool(const fs::path& temporary) {
  Identity identity;
  identity.require("temporary files", temporary.string());
  identity.add("version", fmt::format("{} {}", base::kVersion, protocol::kVersion));
  std::error_code ignored;
  identity.require("program", file_identity(fs::canonical(processes::worker_program(), ignored)));
  identity.require("NVRTC", kernel_templates::nvrtc_identity());
  add_process(identity);
  return identity.name();
}

}  // namespace

std::chrono::seconds kept_time() {
  const std::string text = base::environment_text(base::Variable::kWarmWorkers);
  if (text.empty()) return std::chrono::seconds(0);
  int seconds = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > kMaxSeconds) {
    throw base::InputError(fmt::format("{} is '{}': expected a whole number of seconds from 0 to {}",
                                       base::name_of(base::Variable::kWarmWorkers), text, kMaxSeconds));
  }
  return std::chrono::seconds(seconds);
}

std::optional<Place> find_place() {
  std::error_code error;
  fs::path temporary = fs::temp_directory_path(error);
  if (!error) temporary = fs::absolute(temporary, error);
  const std::string name = error ? "" : name_of_pool(temporary);
  if (name.empty()) return std::nullopt;
  for (const fs::path& folder : candidate_folders()) {
    if (!base::make_private_folder(folder)) continue;
    if (base::Descriptor opened = open_private(folder))
      return Place{std::move(opened), folder, name, temporary};
  }
  return std::nullopt;
}

std::string lock_text(pid_t pool) {
  return fmt::format("{} {} {}", pool, link_of("/proc/self/ns/pid"), boot());
}

std::vector<pid_t> running_pools() {
  constexpr std::uint64_t kMaxBytes = 128;
  std::vector<pid_t> pools;
  for (const fs::path& folder : candidate_folders()) {
    if (!open_private(folder)) continue;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() != kLockEnding) continue;
      const base::Descriptor lock(
          ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
      if (!lock || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) continue;
      const std::string text = base::read_own_file(entry.path(), kMaxBytes).value_or("");
      const int pid = std::atoi(text.c_str());
      if (pid > 0 && text == lock_text(pid)) pools.push_back(pid);
    }
  }
  return pools;
}

}  // namespace warptune::tuner::workers::warm
