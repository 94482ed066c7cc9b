#pragma once

#include <string>
#include <vector>

namespace warptune::kernel_templates::definition {

/// An `#include` directive, or a `__has_include` expression.
struct IncludeDirective {
  std::string name;  ///< The text between the quotes or angle brackets; empty if macros give the name.
  bool quoted = false;
  std::string macros;  ///< If macros give the name: their tokens, with single blanks as white space.
  bool probe = false;  ///< `__has_include`.
  bool next = false;   ///< Only the folders after that of the current file are searched (`#include_next`).
  int line = 0;
  int column = 0;
};

struct MacroDefinition {
  std::string name;
  bool takes_arguments = false;
  std::string body;  ///< Without comments and with single blanks as white space.
};

struct Directives {
  std::vector<IncludeDirective> includes;
  std::vector<MacroDefinition> macros;
};

/// Returns every include and every macro definition that a compiler may see in a text. Standards of C++ read
/// a text differently, so all readings are combined: with and without trigraphs, raw strings and digit
/// separators. Conditions are not evaluated. Lines that look like an include count even within comments and
/// strings, so that the result also has every include that a plain search of the lines finds.
Directives read_directives(const std::string& text);

/// Reads `text` as `"name"` or `<name>` into `include`. Returns false if it has another form.
bool is_header_name(const std::string& text, IncludeDirective& include);

}  // namespace warptune::kernel_templates::definition
