// Identifies the files that a request includes, without reading them for each compile.
//
// A session compiles thousands of programs with the same includes. The digest of the included files is kept
// for each set of include lines and folders. It is valid as long as `stat` gives the same times, sizes and
// inodes for these files. Paths that were tried without success are checked, too: a new file there would be
// included instead. Two checks are at least a second apart. Before a compiled program is stored in the cache,
// the files are checked in any case.
#include "kernel_templates/compiling/include_digest.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/shared_library.h"
#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::compiling {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

// The result of `stat`, which is the same as long as nobody writes the file.
struct FileState {
  std::string path;
  bool exists = false;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::int64_t bytes = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileState&) const = default;
};

FileState state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {path};
  return {path, true, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, status.st_ino};
}

struct Digest {
  std::string text;
  std::vector<FileState> states;
  Clock::time_point checked;
};

// Protects `digests`, because sessions may run on several threads.
std::mutex& digests_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::map<std::string, Digest>& digests() {
  static std::map<std::string, Digest> remembered;
  return remembered;
}

// The text that decides which files are included: the lines with `#include` or `__has_include`.
std::string lines_with_includes(const std::string& source) {
  std::string lines;
  for (std::size_t at = source.find("include"); at != std::string::npos; at = source.find("include", at)) {
    const std::size_t before = source.rfind('\n', at);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = std::min(source.find('\n', at), source.size());
    lines += source.substr(start, end - start) + '\n';
    at = end;
  }
  return lines;
}

Digest read_digest(const fs::path& source, const std::string& lines, const std::vector<fs::path>& folders) {
  const IncludeScan scan = scan_includes(source, lines, folders, base::cuda_include_folders());
  Digest digest;
  digest.checked = Clock::now();
  if (scan.computed) return digest;
  std::string text = "includes\n";
  for (const IncludedFile& file : scan.files) {
    text += fmt::format("{} {}\n", file.path.string(), base::hash_hex(file.text));
    digest.states.push_back(state_of(file.path.string()));
  }
  for (const std::string& probe : scan.probes) text += probe + '\n';
  for (const fs::path& path : scan.absent) digest.states.push_back({path.string()});
  digest.text = base::hash_hex(text);
  return digest;
}

bool is_current(Digest& digest) {
  const Clock::time_point now = Clock::now();
  if (now - digest.checked < std::chrono::seconds(1)) return true;
  for (const FileState& state : digest.states) {
    if (state_of(state.path) != state) return false;
  }
  digest.checked = now;
  return true;
}

}  // namespace

IncludeOptions include_options(const std::vector<std::string>& options) {
  IncludeOptions found;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const auto value_of = [&](std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) {
        if (option == name) return i + 1 < options.size() ? options[++i] : std::string();
        if (option.starts_with(std::string(name) + "=")) return option.substr(name.size() + 1);
      }
      return std::string();
    };
    if (const std::string folder = value_of({"--include-path", "-I"}); !folder.empty()) {
      found.folders.emplace_back(folder);
    } else if (option.starts_with("-I")) {
      found.folders.emplace_back(option.substr(2));
    } else if (const std::string header = value_of({"--pre-include", "-include"}); !header.empty()) {
      found.headers.push_back(header);
    }
  }
  return found;
}

std::string include_digest(const CompileRequest& request) {
  std::string lines = lines_with_includes(request.source);
  const IncludeOptions options = include_options(request.options);
  for (const std::string& header : options.headers) lines += fmt::format("#include \"{}\"\n", header);
  if (lines.empty()) return "none";
  const fs::path source = request.program_name;
  std::string key = source.parent_path().string() + '\n' + lines;
  for (const fs::path& folder : options.folders) key += folder.string() + '\n';
  key = base::hash_hex(key);
  const std::scoped_lock lock(digests_mutex());
  const auto found = digests().find(key);
  if (found != digests().end() && is_current(found->second)) return found->second.text;
  try {
    return digests().insert_or_assign(key, read_digest(source, lines, options.folders)).first->second.text;
  } catch (const base::Error&) {
    return "";  // The compiler will report the file that cannot be read.
  }
}

void invalidate_include_digests() {
  const std::scoped_lock lock(digests_mutex());
  for (auto& [key, digest] : digests()) digest.checked = Clock::time_point();
}

}  // namespace warptune::kernel_templates::compiling
