#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kernel_templates/read_scope.h"

namespace warptune::kernel_templates::compiling {

/// A `.cu` file, split into its tuning description and the rest. Blank lines replace the other part, so line
/// numbers are the same in both.
struct SplitSource {
  std::string description;  ///< TOML; empty if the file's first comment is not a description.
  std::string code;         ///< The source without the description.
};
/// The description is a comment that begins with `/* warptune` before any code. Throws `base::InputError` if
/// the comment is not closed.
SplitSource split_source(const std::string& text, const std::string& file);

/// Reads a line with `#include "name"` or `#include <name>`. `name` is empty if the line does not include a
/// file, or if a macro gives the name (`computed`).
struct Include {
  std::string name;
  bool quoted = false;
  bool computed = false;
};
Include include_of(std::string_view line);

struct IncludedFile {
  std::filesystem::path path;  ///< A canonical path.
  std::string text;
};

/// The files that a source includes, as far as its text says.
struct IncludeScan {
  std::vector<IncludedFile> files;  ///< Each file once, in order of discovery, without the source itself.
  std::vector<std::filesystem::path> absent;  ///< Paths that were tried and do not exist.
  std::vector<std::string> unresolved;        ///< Names that were not found, in files outside of the toolkit.
  std::vector<std::string> probes;            ///< The result of each `__has_include`: `name=path` or `name=`.
  bool computed = false;                      ///< A macro gives an include's name, so more files may be
                                              ///< included.
};
/// Reads all files that `source` includes, directly or through other files. `code` is the text of `source`.
/// The search order is that of NVRTC with warptune's options: the folder of the including file (for quoted
/// names), the folder of `source`, then `folders`. Conditions are not evaluated, so all includes count.
/// Files in the folders of `toolkit` are trusted: their unknown includes do not count. Throws
/// `base::InputError` for a file that `scope` does not allow, before the file is read. A null `scope` allows
/// all files.
IncludeScan scan_includes(const std::filesystem::path& source, const std::string& code,
                          const std::vector<std::filesystem::path>& folders,
                          const std::vector<std::string>& toolkit = {}, const ReadScope* scope = nullptr);

/// The texts of the files of `scan_includes`, which the hash of a definition covers.
std::vector<std::string> include_closure(const std::filesystem::path& source, const std::string& code,
                                         const std::vector<std::filesystem::path>& folders,
                                         const ReadScope* scope = nullptr);

/// The folders as absolute paths without symbolic links, for `lies_in`. A folder that cannot be accessed
/// becomes an empty path.
std::vector<std::string> canonical_folders(const std::vector<std::string>& folders);

/// Whether `path` is below one of `folders`. Only the texts are compared.
bool lies_in(const std::filesystem::path& path, const std::vector<std::string>& folders);

/// Adds every identifier outside of comments to `names`. Returns whether the text pastes tokens (`##`), which
/// may form more identifiers.
bool add_identifiers(const std::string& text, std::unordered_set<std::string>& names);

}  // namespace warptune::kernel_templates::compiling
