// Keeps compiled programs on disk.
//
// An entry must be trusted, because its machine code is run. A file counts only if it belongs to this user
// and has the right keyed hash. Another process that can write to the folder, but cannot read the secret, can
// therefore not forge an entry. Files of earlier versions have a plain hash. They count only if they were
// there before the secret was made. Their change time (st_ctime) proves that, because no call can set it.
// Such a file gets a keyed hash when it is used.
//
// Files are written under another name and renamed, so readers see complete files only. The modification time
// is the time of last use. Eviction works on one of the 16 folders at a time. Each stored entry triggers it
// with a probability in proportion to the entry's size. On average, a folder is scanned once each time that a
// sixteenth of its limit has been written to it. Processes need no shared state to decide this.
#include "kernel_templates/compile_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "base/hash.h"
#include "kernel_templates/compiling/compiled_form.h"
#include "kernel_templates/compiling/device_linker.h"
#include "kernel_templates/compiling/include_digest.h"
#include "kernel_templates/compiling/nvrtc_version.h"
#include "kernel_templates/nvcc/nvcc_compiler.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

namespace warptune::kernel_templates {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFirstDigits = "0123456789abcdef";
constexpr std::string_view kSuffix = ".bin";
constexpr std::uint64_t kParts = kFirstDigits.size();

constexpr std::string_view kSecretFile = "key";
constexpr std::uint64_t kSecretBytes = 32;
constexpr std::uint64_t kMaxEntryBytes = 128ULL << 20;  // Larger than what a worker may send.

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

struct Entry {
  fs::path path;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;
};

// The files of one of the 16 folders. They include temporary files of writers that died.
std::vector<Entry> entries_of(const fs::path& part) {
  std::vector<Entry> entries;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(part, ignored)) {
    struct stat status {};
    if (::lstat(file.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    entries.push_back({file.path(), static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim)});
  }
  return entries;
}

// The environment variables that NVRTC and the compilers within it read, in a fixed order.
std::string nvrtc_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (is_compiler_variable(*variable)) variables.emplace_back(*variable);
  }
  std::sort(variables.begin(), variables.end());
  return fmt::format("{}", fmt::join(variables, "\n"));
}

struct Secret {
  std::string bytes;
  std::int64_t made_ns = 0;
};

// Returns std::nullopt if there is no secret, or if others could have read it.
std::optional<Secret> read_secret(const fs::path& place) {
  struct stat status {};
  std::optional<std::string> found = base::read_own_file(place, kSecretBytes, &status);
  if (!found || found->size() != kSecretBytes || (status.st_mode & 077U) != 0) return std::nullopt;
  return Secret{std::move(*found), nanoseconds(status.st_ctim)};
}

// Makes a secret. A secret that others could have read is replaced, which makes its entries invalid. If
// several processes make a secret at the same time, the first one wins.
void make_secret(const fs::path& place) {
  if (!base::make_private_folder(place.parent_path())) return;
  const fs::path beside = fmt::format("{}.{}", place.string(), ::getpid());
  if (!base::replace_file(beside, base::random_bytes(kSecretBytes), 0600)) return;
  if (::link(beside.c_str(), place.c_str()) != 0 && !read_secret(place))
    ::rename(beside.c_str(), place.c_str());
  ::unlink(beside.c_str());
}

// Identifies the current file of a device library.
std::string library_identity(const std::string& name) {
  const std::string path = compiling::find_device_library(name);
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return fmt::format("library {}", name);
  return fmt::format("library {} {} {} {}", name, path, status.st_size, nanoseconds(status.st_mtim));
}

}  // namespace

model::Outcome<CompiledKernel> compile_through(CompileCache& cache, const CompileRequest& request) {
  const std::string key = compile_key(request);
  if (auto kept = cache.find(key)) return *std::move(kept);
  auto compiled = compile(request);
  if (compile_key_now(request) == key) cache.store(key, compiled);
  return compiled;
}

bool is_compiler_variable(std::string_view assignment) {
  for (const std::string_view prefix : {"NVRTC", "NVVM", "LIBNVVM", "PTXAS", "EDG", "CICC"}) {
    if (assignment.starts_with(prefix)) return true;
  }
  return false;
}

std::string compile_key(const CompileRequest& request) {
  const std::string included = compiling::include_digest(request);
  if (included.empty()) return "";
  static const int version = compiling::installed_nvrtc_version();
  std::string key = fmt::format("{} {} {}\n", compiling::kCompiledFileVersion, version, request.architecture);
  const auto add = [&key](std::string_view text) { key += fmt::format("{}:{}\n", text.size(), text); };
  add(request.program_name);  // It is a part of messages and line tables.
  add(request.source);
  add(included);
  add(nvrtc_environment());
  for (const std::string& entry : request.entries) add(entry);
  for (const std::string& variable : request.variables) add(variable);
  for (const std::string& library : request.libraries) add(library_identity(library));
  if (request.compiler == kNvcc) add(nvcc::identity());
  key += "options\n";
  for (const std::string& option : request.options) add(option);
  return base::hash_hex(key);
}

std::string included_files_now(const CompileRequest& request) {
  compiling::invalidate_include_digests();
  return compiling::include_digest(request);
}

std::string compile_key_now(const CompileRequest& request) {
  compiling::invalidate_include_digests();
  return compile_key(request);
}

fs::path default_compile_cache() {
  const fs::path cache = base::cache_folder();
  return cache.empty() ? fs::path() : cache / "compiled";
}

CompileCache::CompileCache(fs::path folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {}

fs::path CompileCache::place_of(const std::string& key) const {
  return folder_ / key.substr(0, 1) / (key + std::string(kSuffix));
}

// Reads the folder's secret. The first process that needs it makes it.
bool CompileCache::has_secret() {
  if (!secret_.empty()) return true;
  const fs::path place = folder_ / kSecretFile;
  std::optional<Secret> secret = read_secret(place);
  if (!secret) {
    make_secret(place);
    secret = read_secret(place);
  }
  if (!secret) return false;
  secret_ = std::move(secret->bytes);
  secret_made_ns_ = secret->made_ns;
  return true;
}

// Reads and checks an entry. Updates its time of last use. An entry of an earlier version gets its keyed
// hash.
std::optional<model::Outcome<CompiledKernel>> CompileCache::read(const std::string& key) {
  const fs::path place = place_of(key);
  struct stat status {};
  const std::optional<std::string> bytes = base::read_own_file(place, kMaxEntryBytes, &status);
  if (!bytes || !has_secret()) return std::nullopt;
  const bool earlier = compiling::is_unkeyed_file(*bytes);
  // An entry of an earlier version has no keyed hash, so another process could have forged it. It counts only
  // if it was here before the secret was made.
  if (earlier && nanoseconds(status.st_ctim) > secret_made_ns_) return std::nullopt;
  std::optional<model::Outcome<CompiledKernel>> outcome = compiling::read_compiled(key, *bytes, secret_);
  if (!outcome) return std::nullopt;
  if (earlier) {
    base::replace_file(place, compiling::write_compiled(key, *outcome, secret_), 0600);
  } else {
    ::utimensat(AT_FDCWD, place.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }
  return outcome;
}

std::optional<model::Outcome<CompiledKernel>> CompileCache::find(const std::string& key) {
  if (std::optional<model::Outcome<CompiledKernel>> outcome = key.empty() ? std::nullopt : read(key)) {
    if (outcome->has_value()) (*outcome)->from_cache = true;
    ++hits_;
    return outcome;
  }
  ++misses_;
  return std::nullopt;
}

void CompileCache::store(const std::string& key, const model::Outcome<CompiledKernel>& outcome) {
  const bool is_cacheable = outcome || (outcome.error().status == model::Status::kCompileFailed &&
                                        !model::is_environment_failure(outcome.error()));
  if (key.empty() || !is_cacheable || !has_secret()) return;
  const std::string bytes = compiling::write_compiled(key, outcome, secret_);
  const fs::path place = place_of(key);
  if (!base::replace_file(place, bytes, 0600)) {
    base::make_private_folder(place.parent_path());
    if (!base::replace_file(place, bytes, 0600)) return;
  }
  ++stores_;
  // The last digits of the key decide whether this entry triggers a scan. Keys are hashes, so these digits
  // are uniform over all processes.
  const double draw =
      static_cast<double>(std::strtoul(key.substr(key.size() - 8).c_str(), nullptr, 16)) / 0x1p32;
  const double part_bytes = static_cast<double>(max_bytes_) / static_cast<double>(kParts);
  if (draw * part_bytes < 16.0 * static_cast<double>(bytes.size())) make_room(place.parent_path());
}

void CompileCache::make_room(const fs::path& part) const {
  std::vector<Entry> entries = entries_of(part);
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  const std::uint64_t maximum = max_bytes_ / kParts;
  if (bytes <= maximum) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used_ns < b.used_ns; });
  for (const Entry& entry : entries) {
    if (bytes <= maximum - maximum / 16) return;
    ::unlink(entry.path.c_str());
    bytes -= entry.bytes;
  }
}

CacheStatistics CompileCache::statistics() const {
  CacheStatistics statistics;
  for (const char digit : kFirstDigits) {
    for (const Entry& entry : entries_of(folder_ / std::string(1, digit))) {
      ++statistics.entries;
      statistics.bytes += entry.bytes;
    }
  }
  statistics.max_bytes = max_bytes_;
  statistics.hits = hits_;
  statistics.misses = misses_;
  statistics.stores = stores_;
  return statistics;
}

void CompileCache::clear() {
  for (const char digit : kFirstDigits) {
    for (const Entry& entry : entries_of(folder_ / std::string(1, digit))) ::unlink(entry.path.c_str());
  }
}

std::string CompileCache::problem() const {
  if (!base::make_private_folder(folder_))
    return fmt::format("{}: {}", folder_.string(), std::strerror(errno));
  if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    return fmt::format("{}: {}", folder_.string(), std::strerror(errno));
  return "";
}

}  // namespace warptune::kernel_templates
