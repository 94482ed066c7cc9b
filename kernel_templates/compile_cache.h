#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kernel_templates/compiler.h"
#include "model/measurement.h"

namespace warptune::kernel_templates {

/// The contents of a compile cache, and the accesses through one object.
struct CacheStatistics {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t max_bytes = 0;
  std::uint64_t hits = 0;    ///< Calls of `find` that found an entry.
  std::uint64_t misses = 0;  ///< Calls of `find` that found none.
  std::uint64_t stores = 0;  ///< Entries that this object wrote.
};

/// Compiled programs on disk, one file for each. The files are in 16 folders by the first digit of their
/// keys. Any number of processes may use one folder at the same time, because a file is written under another
/// name and then renamed.
///
/// Each file has a keyed hash of its contents. The hash's secret is in the folder's file `key`, which only
/// this user can read. An entry is ignored, and replaced by the next store, if it
/// * is truncated, damaged or too large,
/// * is not a plain file or belongs to another user,
/// * or was written without the secret.
///
/// Only this user can access the folders and files, whatever the umask is. A folder that cannot be made or
/// written is not an error: then nothing is stored.
class CompileCache {
 public:
  static constexpr std::uint64_t kMaxBytes = 2ULL << 30;

  /// The least recently used entries are removed when the cache exceeds `max_bytes`. Only some stores check
  /// this, so the cache may be about a sixteenth larger for a while.
  explicit CompileCache(std::filesystem::path folder, std::uint64_t max_bytes = kMaxBytes);

  /// Returns the outcome that is stored under `key` and marks it as `from_cache`. The key comes from
  /// `compile_key`. An empty key finds nothing.
  std::optional<model::Outcome<CompiledKernel>> find(const std::string& key);
  /// Stores an outcome: machine code, or the reason why the program does not compile. Other failures
  /// (time-outs, too little memory, crashed workers) say nothing about the program and are not stored. With
  /// an empty key nothing is stored.
  void store(const std::string& key, const model::Outcome<CompiledKernel>& outcome);
  /// Counts the entries. This reads all file names of the folder.
  CacheStatistics statistics() const;
  /// Removes every entry.
  void clear();

  const std::filesystem::path& folder() const { return folder_; }
  /// The reason why nothing can be stored in the folder; empty if it works. Makes the folder.
  std::string problem() const;

 private:
  std::filesystem::path place_of(const std::string& key) const;
  bool has_secret();
  std::optional<model::Outcome<CompiledKernel>> read(const std::string& key);
  void make_room(const std::filesystem::path& part) const;

  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
  std::string secret_;               ///< Empty until it is read.
  std::int64_t secret_made_ns_ = 0;  ///< The time when the secret was made, after the epoch.
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t stores_ = 0;
};

/// The key of a request, from everything that decides what it compiles to:
/// * its texts, and the included files with their contents,
/// * its options and architecture,
/// * NVRTC's version (this may load NVRTC) and the environment variables that NVRTC reads,
/// * the format of the cache's files.
///
/// The key has 32 hexadecimal digits. It is empty if an include is unknown before compiling (`#include MACRO`
/// in a file that does not belong to the toolkit). Included files are checked for changes at most once per
/// second.
std::string compile_key(const CompileRequest& request);
/// A hash of the files that a program includes, with their contents, as they are now. Empty if they are not
/// known before compiling.
std::string included_files_now(const CompileRequest& request);
/// The same key, but the included files are checked now. `compile_through` compares it after compiling with
/// the key from before.
std::string compile_key_now(const CompileRequest& request);

/// Returns the outcome from `cache`, else compiles. The new outcome is stored unless an included file has
/// changed meanwhile, because then it is unknown which version was compiled.
model::Outcome<CompiledKernel> compile_through(CompileCache& cache, const CompileRequest& request);

/// Whether NVRTC, or a compiler within it, reads the environment variable of an assignment (`NAME=VALUE`).
bool is_compiler_variable(std::string_view assignment);

/// `$XDG_CACHE_HOME/warptune/compiled`, else `$HOME/.cache/warptune/compiled`. Empty if neither variable is
/// set.
std::filesystem::path default_compile_cache();

}  // namespace warptune::kernel_templates
