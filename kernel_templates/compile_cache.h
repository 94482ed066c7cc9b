#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kernel_templates/compiler.h"
#include "model/measurement.h"

namespace warptune::kernel_templates {

/// What a compile cache holds, and what this object did with it.
struct CacheStatistics {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t max_bytes = 0;
  std::uint64_t hits = 0;    ///< `find` that found, of this object.
  std::uint64_t misses = 0;  ///< `find` that did not.
  std::uint64_t stores = 0;  ///< Entries written.
};

/// Compiled programs on disk: a file an entry, in 16 folders by the first digit of its key. Any number of
/// processes may use one folder at the same time. A file is written beside its place and renamed, and holds
/// a digest of itself that is keyed with the folder's secret (the file `key`, which this user alone can
/// read): what is cut short, damaged, another user's, no plain file, too long or written without the secret
/// counts as missing and is replaced by the next store. Folders and files are this user's alone, whatever the
/// umask. A folder that cannot be written or made is no error: then nothing is kept.
class CompileCache {
 public:
  static constexpr std::uint64_t kMaxBytes = 2ULL << 30;

  /// Entries longest unused go when more than about `max_bytes` are held (a sixteenth more at times: room is
  /// made by one store of many).
  explicit CompileCache(std::filesystem::path folder, std::uint64_t max_bytes = kMaxBytes);

  /// The outcome kept under `key` (of `compile_key`; an empty one finds nothing), marked as found here.
  std::optional<model::Outcome<CompiledKernel>> find(const std::string& key);
  /// Keeps an outcome: machine code, or why the program does not compile. Anything else (time-outs, lack of
  /// memory, dead workers) says nothing about the program and is not kept, nor is what has an empty key.
  void store(const std::string& key, const model::Outcome<CompiledKernel>& outcome);
  /// Counts the folder's entries: reads all of its names.
  CacheStatistics statistics() const;
  /// Removes every entry.
  void clear();

  const std::filesystem::path& folder() const { return folder_; }
  /// Why nothing can be kept in the folder; empty when it can. Makes the folder.
  std::string problem() const;

 private:
  std::filesystem::path place_of(const std::string& key) const;
  bool has_secret();
  std::optional<model::Outcome<CompiledKernel>> read(const std::string& key);
  void make_room(const std::filesystem::path& part) const;

  std::filesystem::path folder_;
  std::uint64_t max_bytes_;
  std::string secret_;               ///< Empty: not read yet.
  std::int64_t secret_made_ns_ = 0;  ///< When, after the epoch.
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t stores_ = 0;
};

/// The key of all that decides what a request compiles to: its texts, the files it includes with their
/// contents, options, architecture, NVRTC's version (loads NVRTC) and the environment variables that NVRTC
/// reads, and the form of the cache's files. 32 hexadecimal digits; empty when an include cannot be known
/// before compiling (`#include MACRO` in a file that is not the toolkit's).
///
/// Included files are looked at once a second at most.
std::string compile_key(const CompileRequest& request);
/// The same, with a look at the files: for a key that was computed before the compile.
std::string compile_key_now(const CompileRequest& request);

/// Takes what `cache` keeps of an earlier compile, else compiles and keeps it, unless an included file
/// changed meanwhile: nobody knows which of its versions was compiled.
model::Outcome<CompiledKernel> compile_through(CompileCache& cache, const CompileRequest& request);

/// Whether an environment variable (`NAME=VALUE`) is one that NVRTC and the compilers in it read.
bool is_compiler_variable(std::string_view assignment);

/// `$XDG_CACHE_HOME/warptune/compiled`, else `$HOME/.cache/warptune/compiled`; empty when neither is set.
std::filesystem::path default_compile_cache();

}  // namespace warptune::kernel_templates
