#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::kernel_templates::compiling {

/// A source in which the text of its own included files replaces the `#include` lines. It can be put into a
/// namespace.
struct InlinedSource {
  /// The text without includes of other files, `#pragma once`, `#line` and `extern "C"`.
  std::string text;
  /// `#include` lines of the files that are not inlined, each once, in order. If an
  /// `#include` stands inside an `#if`, it is wrapped in `#if __has_include(...)`.
  std::vector<std::string> headers;
  /// The macros that the text may define, each once, in order.
  std::vector<std::string> macros;
};

/// Inlines the files that `code` includes, directly or through other files, except those below one of
/// `toolkit` and those that do not exist. `source` is the path of `code`. `folders` are searched in order, as
/// a compiler does. A file with `#pragma once` gets an include guard in its place. Throws
/// `base::InputError` if a macro names an included file, or if files include each other without end.
InlinedSource inlined_source(const std::string& code, const std::filesystem::path& source,
                             const std::vector<std::filesystem::path>& folders,
                             const std::vector<std::string>& toolkit);

}  // namespace warptune::kernel_templates::compiling
