#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kernel_templates/read_scope.h"

namespace warptune::kernel_templates::compiling {

/// A `.cu` split into its tuning description and the rest; line numbers hold in both, blank lines fill the
/// gaps.
struct SplitSource {
  std::string description;  ///< TOML; empty when the file's first comment is none of ours.
  std::string code;         ///< The source with the description blanked.
};
/// The description is the comment that starts with `/* warptune` before any code. Throws `base::InputError`
/// when it is not closed.
SplitSource split_source(const std::string& text, const std::string& file);

/// The name of an `#include "name"` or `#include <name>` line; empty: the line includes nothing, or what a
/// macro says (`computed`).
struct Include {
  std::string name;
  bool quoted = false;
  bool computed = false;
};
Include include_of(std::string_view line);

struct IncludedFile {
  std::filesystem::path path;  ///< Canonical.
  std::string text;
};

/// What `#include` reaches from a source, as far as its text tells.
struct IncludeScan {
  std::vector<IncludedFile> files;  ///< Each once, in order of discovery, without the source itself.
  std::vector<std::filesystem::path> absent;  ///< Looked for in vain, some before a file was found elsewhere.
  std::vector<std::string> unresolved;  ///< Names found nowhere, included by files outside of the toolkit.
  std::vector<std::string> probes;  ///< What each `__has_include` finds: `name=path`, or `name=` for nothing.
  bool computed = false;  ///< A file outside of the toolkit includes what a macro names: more may be reached.
};
/// Reads the include closure of `source`, whose text is `code`. Found as NVRTC finds it with our options:
/// beside the including file (quoted ones), beside `source`, in `folders`. Conditions are not evaluated: all
/// includes count. Files below `toolkit` (folders) are trusted to be whole. Throws `base::InputError` for a
/// file that `scope` does not allow, where there is one, before it is read.
IncludeScan scan_includes(const std::filesystem::path& source, const std::string& code,
                          const std::vector<std::filesystem::path>& folders,
                          const std::vector<std::string>& toolkit = {}, const ReadScope* scope = nullptr);

/// The texts of `scan_includes`: what the hash of a definition covers.
std::vector<std::string> include_closure(const std::filesystem::path& source, const std::string& code,
                                         const std::vector<std::filesystem::path>& folders,
                                         const ReadScope* scope = nullptr);

/// Absolute, without symbolic links; empty where a folder cannot be looked at. For `lies_in`.
std::vector<std::string> canonical_folders(const std::vector<std::string>& folders);

/// Whether `path` lies in one of `folders`, by its text.
bool lies_in(const std::filesystem::path& path, const std::vector<std::string>& folders);

/// Every identifier of a text outside of comments. Adds to `names`; true when the text pastes tokens (`##`):
/// then it may form more.
bool add_identifiers(const std::string& text, std::unordered_set<std::string>& names);

}  // namespace warptune::kernel_templates::compiling
