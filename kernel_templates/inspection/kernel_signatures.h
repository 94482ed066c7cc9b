#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::kernel_templates::inspection {

struct CodeToken {
  std::string text;
  int line = 0;
};

/// The tokens of a text, without comments and preprocessor lines.
std::vector<CodeToken> code_tokens(std::string_view code);
/// Whether a token is an identifier or a keyword.
bool is_word(const std::string& text);
/// The index of the token that closes the bracket at `open`; the number of tokens if none does.
std::size_t closing_of(const std::vector<CodeToken>& tokens, std::size_t open);

/// A parameter of a function or template as the source writes it.
struct WrittenParameter {
  std::string type;  ///< With single blanks, without `const` of the parameter itself and `__restrict__`.
  std::string name;  ///< Empty if the source gives none.
};

/// A `__global__` function of a source.
struct KernelSignature {
  std::string name;
  std::string scope;  ///< The namespaces around it, as `a::b::`.
  int line = 0;
  bool is_template = false;
  std::vector<WrittenParameter> template_parameters;
  std::vector<WrittenParameter> parameters;

  std::string full_name() const { return scope + name; }
};

/// Reads the declaration in the tokens from `begin` to before `end`. An array becomes a pointer, as that of a
/// parameter does.
WrittenParameter written_parameter(const std::vector<CodeToken>& tokens, std::size_t begin, std::size_t end);

/// The `__global__` functions of a text, in order, each full name once. Preprocessor lines are not evaluated,
/// so a function that only a macro writes is not found.
std::vector<KernelSignature> kernel_signatures(std::string_view code);

}  // namespace warptune::kernel_templates::inspection
