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

#include "base/hash.h"
#include "kernel_templates/detail/compiled_form.h"
#include "kernel_templates/detail/device_linker.h"
#include "kernel_templates/detail/include_digest.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

namespace warptune::kernel_templates {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFirstDigits = "0123456789abcdef";
constexpr std::string_view kSuffix = ".bin";
constexpr std::uint64_t kParts = kFirstDigits.size();

// The whole file; nothing when it cannot be read. Marks it as just used.
std::optional<std::string> read_used(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  std::string bytes;
  bool whole = ::fstat(descriptor, &status) == 0 && status.st_size >= 0;
  if (whole) {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t at = 0;
    while (whole && at < bytes.size()) {
      const ssize_t count = ::read(descriptor, bytes.data() + at, bytes.size() - at);
      if (count < 0 && errno == EINTR) continue;
      whole = count > 0;
      if (whole) at += static_cast<std::size_t>(count);
    }
    ::futimens(descriptor, nullptr);
  }
  ::close(descriptor);
  if (!whole) return std::nullopt;
  return bytes;
}

bool write_beside_and_rename(const fs::path& path, const std::string& bytes) {
  std::string beside = path.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return false;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count = ::write(descriptor, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    at += static_cast<std::size_t>(count);
  }
  const bool written = ::close(descriptor) == 0 && at == bytes.size();
  if (written && ::rename(beside.c_str(), path.c_str()) == 0) return true;
  ::unlink(beside.c_str());
  return false;
}

struct Entry {
  fs::path path;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;
};

// The files of one part, with what writers that died left behind.
std::vector<Entry> entries_of(const fs::path& part) {
  std::vector<Entry> entries;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(part, ignored)) {
    struct stat status {};
    if (::stat(file.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    entries.push_back({file.path(), static_cast<std::uint64_t>(status.st_size),
                       status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec});
  }
  return entries;
}

// The environment of NVRTC and the compilers inside it, in a fixed order.
std::string nvrtc_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    for (const std::string_view prefix : {"NVRTC", "NVVM", "LIBNVVM", "PTXAS", "EDG", "CICC"}) {
      if (text.starts_with(prefix)) variables.emplace_back(text);
    }
  }
  std::sort(variables.begin(), variables.end());
  return fmt::format("{}", fmt::join(variables, "\n"));
}

// Which file a device library is, as it is now.
std::string library_identity(const std::string& name) {
  const std::string path = detail::find_device_library(name);
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0) return fmt::format("library {}", name);
  return fmt::format("library {} {} {} {}", name, path, status.st_size,
                     status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec);
}

}  // namespace

std::string compile_key(const CompileRequest& request) {
  const std::string included = detail::include_digest(request);
  if (included.empty()) return "";
  static const int version = nvrtc_version();
  std::string key = fmt::format("{} {} {}\n", detail::kCompiledFormVersion, version, request.architecture);
  const auto add = [&key](std::string_view text) { key += fmt::format("{}:{}\n", text.size(), text); };
  add(request.program_name);  // Stands in messages and line tables.
  add(request.source);
  add(included);
  add(nvrtc_environment());
  for (const std::string& entry : request.entries) add(entry);
  for (const std::string& variable : request.variables) add(variable);
  for (const std::string& library : request.libraries) add(library_identity(library));
  key += "options\n";
  for (const std::string& option : request.options) add(option);
  return base::hash_hex(key);
}

std::string compile_key_now(const CompileRequest& request) {
  detail::distrust_include_digests();
  return compile_key(request);
}

fs::path default_compile_cache() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "warptune/compiled";
  if (const fs::path home = variable("HOME"); !home.empty()) return home / ".cache/warptune/compiled";
  return {};
}

CompileCache::CompileCache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path CompileCache::place_of(const std::string& key) const {
  return folder_ / key.substr(0, 1) / (key + std::string(kSuffix));
}

std::optional<search::Outcome<CompiledKernel>> CompileCache::find(const std::string& key) {
  if (!key.empty()) {
    if (const std::optional<std::string> bytes = read_used(place_of(key))) {
      if (std::optional<search::Outcome<CompiledKernel>> outcome = detail::read_compiled(key, *bytes)) {
        if (outcome->has_value()) (*outcome)->from_cache = true;
        ++hits_;
        return outcome;
      }
    }
  }
  ++misses_;
  return std::nullopt;
}

void CompileCache::store(const std::string& key, const search::Outcome<CompiledKernel>& outcome) {
  const bool says_something = outcome || (outcome.error().status == search::Status::kCompileFailed &&
                                          !is_environment_failure(outcome.error()));
  if (key.empty() || !says_something) return;
  const std::string bytes = detail::write_compiled(key, outcome);
  const fs::path place = place_of(key);
  std::error_code ignored;
  if (!write_beside_and_rename(place, bytes)) {
    fs::create_directories(place.parent_path(), ignored);
    if (!write_beside_and_rename(place, bytes)) return;
  }
  ++stores_;
  // Room is made by the share of stores that brings one scan, in the mean, for each sixteenth of a part that
  // is written: keys are hashes, so their last digits choose evenly, whichever processes store.
  const double draw =
      static_cast<double>(std::strtoul(key.substr(key.size() - 8).c_str(), nullptr, 16)) / 0x1p32;
  const double part_bytes = static_cast<double>(most_bytes_) / static_cast<double>(kParts);
  if (draw * part_bytes < 16.0 * static_cast<double>(bytes.size())) make_room(place.parent_path());
}

void CompileCache::make_room(const fs::path& part) const {
  std::vector<Entry> entries = entries_of(part);
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  const std::uint64_t most = most_bytes_ / kParts;
  if (bytes <= most) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used_ns < b.used_ns; });
  for (const Entry& entry : entries) {
    if (bytes <= most - most / 16) return;
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
  statistics.most_bytes = most_bytes_;
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
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fmt::format("{}: {}", folder_.string(), error.message());
  if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    return fmt::format("{}: {}", folder_.string(), std::strerror(errno));
  return "";
}

}  // namespace warptune::kernel_templates
