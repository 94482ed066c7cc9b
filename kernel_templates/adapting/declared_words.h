#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/adapting/source_tokens.h"
#include "kernel_templates/adapting/token_groups.h"

namespace warptune::kernel_templates::adapting {

/// The words that put a function or variable on the GPU: CUDA's specifiers, and the macros of the sources
/// whose texts have such a word.
using DeviceWords = std::set<std::string, std::less<>>;
DeviceWords device_words(const std::vector<const SourceTokens*>& sources);

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words);

/// A declaration, as far as it was read.
struct Declaration {
  std::size_t first = 0;  ///< The index of its first token after `template<...>`.
  bool is_template = false;
  bool is_operator = false;
  bool has_parameters = false;  ///< Parentheses follow a name.
  bool has_initialiser = false;
  std::size_t name = 0;  ///< The token before the parentheses.
  std::optional<std::string_view> class_key;
};

/// What the words of a declaration say. Positions are indices of tokens.
class DeclaredWords {
 public:
  DeclaredWords(const SourceTokens& source, const DeviceWords& device_words)
      : tokens_(source.tokens), groups_(source), device_words_(device_words) {}

  /// Whether a macro with a device word is invoked at `at`, and the invocation counts as a whole declaration
  /// of something on the GPU. It does not count as one if `(` or `{` follows the macro's arguments, or if the
  /// macro's name begins with `__`.
  bool is_device_invocation(std::size_t at) const;
  bool has_device_word(std::size_t begin, std::size_t end) const;
  /// Whether one of `words` stands outside of brackets.
  bool has_word(std::size_t begin, std::size_t end, std::initializer_list<std::string_view> words) const;
  /// Whether a word in capitals before the function's name may be an unknown macro with a device word. If
  /// there is no other word before the name, the capitals are the function's type.
  bool may_be_annotated(const Declaration& declaration) const;
  /// Whether a declaration is a constant that device code may use.
  bool is_constant(std::size_t begin, std::size_t end) const;

 private:
  bool is(std::size_t at, std::string_view text) const { return groups_.is(at, text); }
  bool is_device_word(std::string_view word) const;
  bool has_host_type(std::size_t begin, std::size_t end) const;

  const std::vector<Token>& tokens_;
  TokenGroups groups_;
  const DeviceWords& device_words_;
};

}  // namespace warptune::kernel_templates::adapting
