#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace warptune::kernel_templates::compiling {

/// One word of a definition's compiler options: what an element of `argv` would be.
struct OptionWord {
  std::string text;
  base::SourcePosition position;  ///< Of the flag that it stands in.
};

/// An option as NVRTC understands it.
struct CompilerOption {
  std::string_view name;  ///< The long name without dashes: "define-macro".
  std::string value;      ///< Empty: it takes none.
  base::SourcePosition position;
};

/// The words of `flag`, which white space separates.
std::vector<OptionWord> words_of(const std::string& flag, const base::SourcePosition& position);

/// Reads the options that a definition may give: those that change what is compiled, and neither read nor
/// write a file. An include folder is one of them; whoever calls decides whether that folder may be read.
/// Throws `base::InputError` at the first word that is no such option, or whose value has another form.
std::vector<CompilerOption> read_compiler_options(const std::vector<OptionWord>& words);

/// The long names, without dashes, of all options that may be given, then those of the assembler: for the
/// test of the page that lists them.
std::vector<std::string_view> compiler_option_names();
std::vector<std::string_view> assembler_option_names();

}  // namespace warptune::kernel_templates::compiling
