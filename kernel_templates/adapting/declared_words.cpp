#include "kernel_templates/adapting/declared_words.h"

#include <algorithm>

namespace warptune::kernel_templates::adapting {

namespace {

// Types of the standard library and of Thrust that only the host has. A constant of such a type is host code.
bool is_host_type(std::string_view name) {
  return is_any_of(name, {"string", "vector", "map", "unordered_map", "set", "list", "deque", "function",
                          "thread", "mutex", "unique_ptr", "shared_ptr", "ostream", "istream", "ofstream",
                          "ifstream", "device_vector", "host_vector"});
}

// Whether a word begins like CUDA's own macros that put a function on the GPU, such as `_CCCL_DEVICE`.
bool is_device_macro_of_cuda(std::string_view word) {
  return word.starts_with("_CCCL_") || word.starts_with("CUB_") || word.starts_with("THRUST_") ||
         word.starts_with("__CUDA_");
}

bool is_capitals(std::string_view word) {
  return word.size() >= 2 && std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

DeviceWords device_words(const std::vector<const SourceTokens*>& sources) {
  DeviceWords words = {"__global__", "__device__",  "__constant__",
                       "__shared__", "__managed__", "__grid_constant__"};
  for (bool grows = true; grows;) {
    grows = false;
    for (const SourceTokens* source : sources) {
      for (const Directive& directive : source->directives) {
        if (directive.name != "define") continue;
        const SourceTokens text = read_tokens(directive.rest);
        if (text.tokens.empty() || words.contains(text.tokens.front().text)) continue;
        const bool is_device = std::any_of(text.tokens.begin() + 1, text.tokens.end(),
                                           [&](const Token& token) { return words.contains(token.text); });
        if (!is_device) continue;
        words.emplace(text.tokens.front().text);
        grows = true;
      }
    }
  }
  return words;
}

bool DeclaredWords::is_device_invocation(std::size_t at) const {
  if (tokens_[at].kind != TokenKind::kIdentifier || !is(at + 1, "(") || tokens_[at].text.starts_with("__") ||
      !is_device_word(tokens_[at].text))
    return false;
  const std::size_t behind = groups_.behind_group(at + 1);
  return !is(behind, "(") && !is(behind, "{");
}

bool DeclaredWords::is_device_word(std::string_view word) const {
  return device_words_.contains(word) || is_device_macro_of_cuda(word);
}

bool DeclaredWords::has_device_word(std::size_t begin, std::size_t end) const {
  return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                     tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const Token& token) { return is_device_word(token.text); });
}

bool DeclaredWords::has_word(std::size_t begin, std::size_t end,
                             std::initializer_list<std::string_view> words) const {
  for (std::size_t at = begin; at < end;) {
    if (is_any_of(tokens_[at].text, words)) return true;
    at = is(at, "(") || is(at, "[") || is(at, "{") ? groups_.behind_group(at) : at + 1;
  }
  return false;
}

bool DeclaredWords::may_be_annotated(const Declaration& declaration) const {
  std::size_t others = 0;
  bool capitals = false;
  for (std::size_t at = declaration.first; at < declaration.name; ++at) {
    if (tokens_[at].kind != TokenKind::kIdentifier ||
        is_any_of(tokens_[at].text, {"static", "inline", "extern"}))
      continue;
    if (is_capitals(tokens_[at].text)) {
      capitals = true;
    } else {
      ++others;
    }
  }
  return capitals && others > 0;
}

bool DeclaredWords::is_constant(std::size_t begin, std::size_t end) const {
  return has_word(begin, end, {"const", "constexpr", "consteval", "constinit"}) && !has_host_type(begin, end);
}

bool DeclaredWords::has_host_type(std::size_t begin, std::size_t end) const {
  for (std::size_t at = begin; at + 3 < end; ++at) {
    if (is_any_of(tokens_[at].text, {"std", "thrust"}) && is(at + 1, ":") &&
        is_host_type(tokens_[at + 3].text))
      return true;
  }
  return false;
}

}  // namespace warptune::kernel_templates::adapting
