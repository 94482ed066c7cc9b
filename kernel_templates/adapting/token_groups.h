#pragma once

#include <cstddef>
#include <string_view>

#include "kernel_templates/adapting/source_tokens.h"

namespace warptune::kernel_templates::adapting {

/// Finds the ends of groups of tokens in brackets. Positions are indices of tokens.
class TokenGroups {
 public:
  explicit TokenGroups(const SourceTokens& source) : source_(source), tokens_(source.tokens) {}

  bool is(std::size_t at, std::string_view text) const { return at < tokens_.size() && tokens_[at].is(text); }
  /// The token after the group that begins at `at`. Counts all kinds of brackets.
  std::size_t behind_group(std::size_t at) const;
  /// The token after `<...>`; `at + 1` if it is not closed in this declaration.
  std::size_t behind_angles(std::size_t at) const;

 private:
  const SourceTokens& source_;
  const std::vector<Token>& tokens_;
};

}  // namespace warptune::kernel_templates::adapting
