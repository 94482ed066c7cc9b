#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace warptune::kernel_templates::compiling {

/// One word of a definition's compiler options, like an element of `argv`.
struct OptionWord {
  std::string text;
  base::SourcePosition position;  ///< The position of its flag.
};

/// A compiler option of NVRTC.
struct CompilerOption {
  std::string_view name;  ///< The long name without dashes, such as "define-macro".
  std::string value;      ///< Empty if the option has no value.
  base::SourcePosition position;
};

/// Splits `flag` into words at white space.
std::vector<OptionWord> words_of(const std::string& flag, const base::SourcePosition& position);

/// Reads the options that a definition may use. These change what is compiled, and they do not read or write
/// files. An exception is an include folder: the caller decides whether it may be read. Throws
/// `base::InputError` at the first word that is not an allowed option, or whose value has the wrong form.
std::vector<CompilerOption> read_compiler_options(const std::vector<OptionWord>& words);

/// Options with the words that the compiler gets.
struct WordedOptions {
  std::vector<CompilerOption> options;  ///< As `read_compiler_options` returns them.
  /// Macros, include folders and standards have one form: `-DNAME=VALUE`, `-UNAME`, `-IFOLDER` and
  /// `-std=STANDARD`, each as one word. Other options keep their words.
  std::vector<std::string> words;
};
/// Throws as `read_compiler_options` does.
WordedOptions read_worded_options(const std::vector<OptionWord>& words);

/// The long names, without dashes, of all allowed options of the compiler, and of the assembler. A test
/// compares both with the page that lists them.
std::vector<std::string_view> compiler_option_names();
std::vector<std::string_view> assembler_option_names();

}  // namespace warptune::kernel_templates::compiling
