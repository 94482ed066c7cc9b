#pragma once

#include <string>
#include <vector>

namespace warptune::kernel_templates::definition {

/// An `#include`, or a `__has_include` that asks for a name.
struct IncludeDirective {
  std::string name;  ///< Between the quotes or angle brackets; empty: what macros say.
  bool quoted = false;
  std::string macros;  ///< Where macros say it: the tokens, each white space one blank.
  bool probe = false;  ///< `__has_include`.
  bool next = false;   ///< Of the folders behind the one where the file was found.
  int line = 0;
  int column = 0;
};

struct MacroDefinition {
  std::string name;
  bool takes_arguments = false;
  std::string body;  ///< Each white space one blank, without comments.
};

struct Directives {
  std::vector<IncludeDirective> includes;
  std::vector<MacroDefinition> macros;
};

/// Every include and macro definition that a compiler may see in a text, whichever standard it takes the text
/// for: with and without trigraphs, raw strings and separators of digits, where these occur. Conditions are
/// not evaluated. Includes of a plain form count in comments and strings, too, so that nothing which looks
/// for them with less care finds one more.
Directives read_directives(const std::string& text);

/// `text` as the name of a header, where it is one and nothing else: `"name"` or `<name>`.
bool is_header_name(const std::string& text, IncludeDirective& include);

}  // namespace warptune::kernel_templates::definition
