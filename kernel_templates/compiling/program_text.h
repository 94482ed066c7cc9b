#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kernel_templates/adapting/adapted_source.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/read_scope.h"

namespace warptune::kernel_templates::compiling {

/// The identifiers of the toolkit headers that a source includes. These headers have hundreds of thousands of
/// characters, and almost every name that is asked for occurs in the source itself or nowhere. So a name is
/// first searched as plain text. Only if it is found, the identifiers are collected. Thread-safe.
class HeaderNames {
 public:
  /// No headers.
  HeaderNames() = default;
  /// `texts` are those of the headers.
  explicit HeaderNames(std::vector<std::string> texts);

  /// Whether a header has this identifier outside of comments.
  bool contains(const std::string& name) const;
  /// All identifiers outside of comments.
  const std::unordered_set<std::string>& all() const;

 private:
  struct Headers;
  std::shared_ptr<Headers> headers_;
};

/// A source, prepared for making programs from it.
struct ProgramText {
  /// The part that is precompiled: the lines up to the last toolkit header at the beginning of the source,
  /// with the comments, blank lines and pragmas between them. It is empty if the source begins with something
  /// else, or if those headers are cheap. Only the C++ core libraries (`cuda/std/`) take more than a few
  /// milliseconds.
  std::string headers;
  std::string code;                     ///< The rest.
  int code_line = 1;                    ///< The line of the file at which `code` begins.
  bool reaches_core_libraries = false;  ///< The source or its headers include `cuda/std/`.
  /// The identifiers of the source and of its headers outside of the toolkit.
  std::unordered_set<std::string> own_names;
  HeaderNames header_names;         ///< The identifiers of the toolkit headers that are included.
  std::vector<IncludedFile> files;  ///< The included files outside of the toolkit.
  /// Host code is left out, and warptune's own headers (stand-ins) replace those that NVRTC lacks.
  bool adapted = false;
  bool may_form_any_name = false;  ///< The source pastes tokens or includes unknown files.
  /// No word of the source or of its headers outside of the toolkit can name a type or macro of CUDA's
  /// `driver_types.h`, or ask whether NVRTC omits them. Only then may they be omitted.
  bool omits_runtime_names = false;

  /// Whether a macro of this name can change what `code` means.
  bool mentions(const std::string& name) const {
    return may_form_any_name || own_names.contains(name) || header_names.contains(name);
  }
};

/// Reads a source and replaces its tuning description by blanks. `folders` are searched for includes.
/// `toolkit` lists those folders that belong to CUDA. With `settings`, a source is adapted if NVRTC would
/// refuse the unchanged text (`adapting::needs_adapting`). Throws `base::InputError` if the source cannot be
/// read, or if it includes a file that `scope` does not allow (a null `scope` allows all files).
ProgramText read_program_text(const std::filesystem::path& source,
                              const std::vector<std::filesystem::path>& folders,
                              const std::vector<std::string>& toolkit, const ReadScope* scope = nullptr,
                              const adapting::SourceSettings* settings = nullptr);

/// The include folders of CUDA for an adapted source: first the folder of the stand-ins, then `toolkit`.
std::vector<std::string> with_stand_ins(const std::vector<std::string>& toolkit);

/// The program texts of sources. Each is read once. Thread-safe.
class ProgramTexts {
 public:
  /// Checks a text after it was read. If it throws, the text is not kept.
  using Check = std::function<void(const ProgramText&)>;

  const ProgramText& of(const std::filesystem::path& source,
                        const std::vector<std::filesystem::path>& folders,
                        const std::vector<std::string>& toolkit, const ReadScope& scope, const Check& check,
                        const adapting::SourceSettings* settings = nullptr) const;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::filesystem::path, ProgramText> texts_;
};

}  // namespace warptune::kernel_templates::compiling
