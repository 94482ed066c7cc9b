#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/read_scope.h"

namespace warptune::kernel_templates::compiling {

/// A source as programs are made from it.
struct ProgramText {
  /// What may be precompiled: the lines up to the last of the toolkit's headers that begin the source
  /// (comments, blank lines and pragmas between). Empty when the source begins otherwise, and when those
  /// headers are cheap: only what reaches the C++ core libraries (`cuda/std/`) takes more than some
  /// milliseconds.
  std::string headers;
  std::string code;                     ///< The rest.
  int code_line = 1;                    ///< The line of the file that `code` begins with.
  bool reaches_core_libraries = false;  ///< Anything of it includes `cuda/std/`.
  std::unordered_set<std::string>
      own_names;  ///< Identifiers of the source and its headers outside the toolkit.
  std::unordered_set<std::string> header_names;  ///< Those of the toolkit's headers that `code` reaches.
  std::vector<IncludedFile> files;               ///< Included ones outside of the toolkit.
  bool all_names = false;  ///< It may mention any: it pastes tokens, or includes what is not known here.

  /// Whether a macro of this name can change what `code` means.
  bool mentions(const std::string& name) const {
    return all_names || own_names.contains(name) || header_names.contains(name);
  }
};

/// Reads a source, the description blanked. `folders` are searched for includes; `toolkit` are those of them
/// that belong to CUDA. Throws `base::InputError` when it cannot be read, and for an included file that
/// `scope` does not allow, where there is one.
ProgramText read_program_text(const std::filesystem::path& source,
                              const std::vector<std::filesystem::path>& folders,
                              const std::vector<std::string>& toolkit, const ReadScope* scope = nullptr);

/// Program texts by source, each read once. Any thread may ask.
class ProgramTexts {
 public:
  /// Looks at a text that was just read; what it throws is thrown, and the text is not kept.
  using Check = std::function<void(const ProgramText&)>;

  const ProgramText& of(const std::filesystem::path& source,
                        const std::vector<std::filesystem::path>& folders,
                        const std::vector<std::string>& toolkit, const ReadScope& scope,
                        const Check& check) const;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::filesystem::path, ProgramText> texts_;
};

}  // namespace warptune::kernel_templates::compiling
