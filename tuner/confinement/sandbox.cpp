// Confines a compile worker in four layers. They need no privileges, and last until the process ends.
//
// 1. Resource limits (setrlimit(2)) bound memory, file sizes and the number of open files. If the machine
// runs out of memory nevertheless, the operating system ends this process first (oom_score_adj).
//
// 2. Landlock (landlock(7)) forbids every access to files except below the folders that are listed. Its
// later versions also forbid TCP, and signals to processes outside of the sandbox.
//
// 3. A filter of system calls (system_call_filter.h) leaves only the calls that a compiler needs.
//
// 4. If the worker runs programs, a second process limits their number, and kills them when the worker ends
// (process_watcher.h).
#include "tuner/confinement/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/environment.h"
#include "base/error.h"
#include "base/shared_library.h"
#include "base/text.h"
#include "kernel_templates/compiler.h"
#include "tuner/confinement/process_watcher.h"
#include "tuner/confinement/sanitized.h"
#include "tuner/confinement/system_call_filter.h"
#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::confinement {

namespace fs = std::filesystem;

namespace {

// The numbers of Landlock's system calls (landlock(7)). The headers of Debian 12 know only Landlock's
// first two versions, so its constants and structs are written here.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kQueryVersion = 1;
constexpr int kPathBeneath = 1;

enum Access : std::uint64_t {
  kExecute = 1U << 0,
  kWriteFile = 1U << 1,
  kReadFile = 1U << 2,
  kReadFolder = 1U << 3,
  kRemoveFolder = 1U << 4,
  kRemoveFile = 1U << 5,
  kMakeFolder = 1U << 7,
  kMakeFile = 1U << 8,
  kTruncate = 1U << 14,
};

struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // From version 4 on.
  std::uint64_t scoped = 0;   // From version 6 on.
};

struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t descriptor = -1;
};

int landlock_version() {
  return static_cast<int>(::syscall(kCreateRuleset, nullptr, 0, kQueryVersion));  // -1: no Landlock.
}

// Everything that a version can forbid. Rules then allow the exceptions.
RulesetAttributes ruleset_of(int version) {
  RulesetAttributes attributes;
  attributes.files = (1U << 13) - 1;
  if (version >= 2) attributes.files |= 1U << 13;  // Moves between folders.
  if (version >= 3) attributes.files |= kTruncate;
  if (version >= 5) attributes.files |= 1U << 15;  // ioctl of devices.
  if (version >= 4) attributes.network = 3;        // TCP: bind, connect.
  if (version >= 6) attributes.scoped = 3;         // Abstract sockets and signals of processes outside.
  return attributes;
}

void allow(int ruleset, const fs::path& path, std::uint64_t access, std::uint64_t supported) {
  const protocol::FileDescriptor opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0) return;  // A missing folder needs no rule.
  if (!S_ISDIR(status.st_mode)) access &= kExecute | kReadFile | kWriteFile | kTruncate;
  const PathRule rule{access & supported, opened.get()};
  ::syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
}

// Where the loader looks for libraries, and what the C library reads by itself.
std::vector<fs::path> system_paths() {
  std::vector<fs::path> places = {
      "/lib",           "/lib64",           "/usr/lib",       "/usr/lib64",
      "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu",
      "/dev/null",      "/dev/urandom",     "/dev/random"};
  if (kSanitized) places.emplace_back("/proc/self");  // It holds the environment, so only sanitizers get it.
  for (const std::string& folder : base::split(base::environment_text(base::Variable::kLibraryPath), ':')) {
    if (!folder.empty()) places.emplace_back(folder);
  }
  for (const auto& folders : {base::cuda_library_folders(), base::cuda_include_folders()})
    places.insert(places.end(), folders.begin(), folders.end());
  return places;
}

// What a compiler of the system reads and runs. `compiler` is such a compiler, or nvcc.
std::vector<fs::path> compiler_paths(const fs::path& compiler) {
  std::vector<fs::path> places = {
      "/bin", "/usr/bin", "/usr/local/bin", "/usr/include", "/usr/local/include", "/usr/libexec",
      "/lib", "/lib64",   "/usr/lib",       "/usr/lib64",   "/usr/share/locale",  "/etc/alternatives"};
  const fs::path prefix = compiler.parent_path().parent_path();
  if (!prefix.empty() && prefix != "/" && prefix != "/usr") places.push_back(prefix);
  return places;
}

bool restrict_files(const Sandbox& sandbox) {
  const int version = landlock_version();
  if (version < 1) return false;
  const RulesetAttributes attributes = ruleset_of(version);
  // The size tells the operating system which members it gets: each version has only some of them.
  const std::size_t bytes = version >= 6 ? sizeof(attributes) : version >= 4 ? 16 : 8;
  const protocol::FileDescriptor ruleset(static_cast<int>(::syscall(kCreateRuleset, &attributes, bytes, 0)));
  if (ruleset.get() < 0) return false;
  for (const fs::path& place : system_paths())
    allow(ruleset.get(), place, kReadFile | kReadFolder, attributes.files);
  for (const fs::path& place : sandbox.readable)
    allow(ruleset.get(), place, kReadFile | kReadFolder, attributes.files);
  if (sandbox.runs_programs()) {
    const fs::path compiler = sandbox.runs_nvcc ? kernel_templates::find_nvcc() : sandbox.host_compiler;
    for (const fs::path& place : compiler_paths(compiler))
      allow(ruleset.get(), place, kReadFile | kReadFolder | kExecute, attributes.files);
  }
  allow(ruleset.get(), "/dev/null", kReadFile | kWriteFile, attributes.files);
  if (!sandbox.scratch.empty()) {
    allow(ruleset.get(), sandbox.scratch,
          kReadFile | kReadFolder | kWriteFile | kTruncate | kMakeFile | kMakeFolder | kRemoveFile |
              kRemoveFolder | (sandbox.host_compiler.empty() ? std::uint64_t{0} : std::uint64_t{kExecute}),
          attributes.files);
  }
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(kRestrictSelf, ruleset.get(), 0) == 0;
}

// Sets the soft and the hard limit, so that the process cannot raise it again. An adjustable limit keeps its
// hard one.
void limit(__rlimit_resource_t resource, std::uint64_t maximum, bool adjustable = false) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY && maximum > now.rlim_max) maximum = now.rlim_max;
  now.rlim_cur = maximum;
  if (!adjustable) now.rlim_max = maximum;
  ::setrlimit(resource, &now);
}

// A compile that needs gigabytes must fail. If the machine still runs out of memory, the operating system
// must end this process and no other.
void limit_resources(const Sandbox& sandbox) {
  constexpr std::uint64_t kMaxFileBytes = 1ULL << 30;  // Precompiled headers are the longest files.
  constexpr std::uint64_t kMaxFiles = 256;
  if (sandbox.memory_bytes != 0 && !kSanitized)
    limit(RLIMIT_DATA, sandbox.memory_bytes, sandbox.adjustable_memory);
  limit(RLIMIT_FSIZE, kMaxFileBytes);
  ::signal(SIGXFSZ, SIG_IGN);  // A longer write then fails; the process goes on.
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, kMaxFiles);
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

}  // namespace

std::vector<std::string> arguments_of(const Sandbox& sandbox) {
  std::vector<std::string> arguments = {"--memory", std::to_string(sandbox.memory_bytes), "--scratch",
                                        sandbox.scratch.string()};
  if (sandbox.adjustable_memory) arguments.insert(arguments.end(), {"--adjustable-memory", "yes"});
  if (sandbox.runs_nvcc) arguments.insert(arguments.end(), {"--nvcc", "yes"});
  if (!sandbox.host_compiler.empty())
    arguments.insert(arguments.end(), {"--host-compiler", sandbox.host_compiler.string()});
  for (const fs::path& folder : sandbox.readable) {
    arguments.emplace_back("--readable");
    arguments.push_back(folder.string());
  }
  return arguments;
}

Sandbox sandbox_of(const std::vector<std::string>& arguments) {
  Sandbox sandbox;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const std::string& value = arguments[i + 1];
    if (arguments[i] == "--memory") {
      sandbox.memory_bytes = std::strtoull(value.c_str(), nullptr, 10);
    } else if (arguments[i] == "--scratch") {
      sandbox.scratch = value;
    } else if (arguments[i] == "--adjustable-memory") {
      sandbox.adjustable_memory = value == "yes";
    } else if (arguments[i] == "--nvcc") {
      sandbox.runs_nvcc = value == "yes";
    } else if (arguments[i] == "--host-compiler") {
      sandbox.host_compiler = value;
    } else if (arguments[i] == "--readable") {
      sandbox.readable.emplace_back(value);
    } else {
      throw base::InputError(fmt::format("unknown argument of a worker's sandbox: '{}'", arguments[i]));
    }
  }
  return sandbox;
}

void enter(const Sandbox& sandbox) {
  protocol::FileDescriptor watcher;
  if (sandbox.runs_programs()) watcher = start_process_watcher();
  limit_resources(sandbox);
  restrict_files(sandbox);
  protocol::FileDescriptor listener;
  if (!kSanitized) filter_system_calls(sandbox.runs_programs(), &listener);
  if (listener) hand_to_watcher(watcher, std::move(listener));
  static_cast<void>(watcher.release());  // It closes when the process ends, which tells the watcher.
}

std::string sandbox_problem() {
  std::vector<std::string> missing;
  if (landlock_version() < 1)
    missing.emplace_back("the files that they read and write, because it lacks Landlock");
  if (::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
    missing.emplace_back("their system calls, because it lacks seccomp");
  if (missing.empty()) return "";
  return fmt::format(
      "for compile workers, this operating system cannot restrict {}. Compile only sources of authors that "
      "you trust",
      fmt::join(missing, ", nor "));
}

}  // namespace warptune::tuner::confinement
