// How host code is found without a parser of C++.
//
// At the level of namespaces and classes, a declaration ends with `;` or with the body of a function. What
// kind it is shows in its tokens up to there: a name before parentheses makes a function, a key word a class,
// `=` an initialiser. Bodies of functions are skipped as groups of braces. Conditions of the preprocessor may
// repeat an opening brace in each of their branches, so the depth at the beginning of a branch is that at
// its `#if`.
#include "kernel_templates/adapting/host_code.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace warptune::kernel_templates::adapting {

namespace {

using Words = std::set<std::string, std::less<>>;

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Types of the standard library that only the host has. A constant of such a type is host code.
bool is_host_type(std::string_view name) {
  return is_any_of(name, {"string", "vector", "map", "unordered_map", "set", "list", "deque", "function",
                          "thread", "mutex", "unique_ptr", "shared_ptr", "ostream", "istream", "ofstream",
                          "ifstream", "device_vector", "host_vector"});
}

bool takes_parentheses(std::string_view word) {
  return is_any_of(word,
                   {"__align__", "alignas", "__attribute__", "__declspec", "__launch_bounds__", "decltype",
                    "noexcept", "requires", "explicit", "__block_size__", "__maxnreg__", "if", "typeof"});
}

// Words in the texts of CUDA's own macros for functions that a GPU may call begin like this.
bool is_device_macro_of_cuda(std::string_view word) {
  return word.starts_with("_CCCL_") || word.starts_with("CUB_") || word.starts_with("THRUST_") ||
         word.starts_with("__CUDA_");
}

bool is_capitals(std::string_view word) {
  return word.size() >= 2 && std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
         });
}

// A declaration, as far as it was read.
struct Declaration {
  std::size_t first = 0;  ///< The index of its first token behind `template<...>`.
  bool is_template = false;
  bool is_operator = false;
  bool has_parameters = false;  ///< Parentheses behind a name.
  bool has_initialiser = false;
  std::size_t name = 0;  ///< The token before the parentheses.
  std::optional<std::string_view> class_key;
};

class Scanner {
 public:
  Scanner(const SourceTokens& source, const Words& device_words)
      : source_(source), tokens_(source.tokens), device_words_(device_words) {}

  std::vector<HostCode> find() {
    while (at_ < tokens_.size()) {
      read_scope(false);
      if (at_ < tokens_.size()) ++at_;  // A brace that closes nothing.
    }
    return std::move(found_);
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return at < tokens_.size() && tokens_[at].is(text); }

  // The token after the group that begins at `at`. Counts all kinds of brackets.
  std::size_t behind_group(std::size_t at) const {
    int depth = 0;
    std::vector<int> branches;
    auto directive = std::partition_point(source_.directives.begin(), source_.directives.end(),
                                          [&](const Directive& one) { return one.tokens <= at; });
    for (; at < tokens_.size(); ++at) {
      for (; directive != source_.directives.end() && directive->tokens <= at; ++directive) {
        if (directive->name.starts_with("if")) {
          branches.push_back(depth);
        } else if (directive->name.starts_with("el") && !branches.empty()) {
          depth = branches.back();
        } else if (directive->name == "endif" && !branches.empty()) {
          branches.pop_back();
        }
      }
      const std::string_view text = tokens_[at].text;
      if (text == "(" || text == "[" || text == "{") ++depth;
      if (text == ")" || text == "]" || text == "}") --depth;
      if (depth <= 0) return at + 1;
    }
    return at;
  }

  // The token after `<...>`; `at + 1` if it is not closed in this declaration.
  std::size_t behind_angles(std::size_t at) const {
    int depth = 0;
    for (std::size_t end = at; end < tokens_.size() && !is(end, ";") && !is(end, "{");) {
      if (is(end, "(") || is(end, "[")) {
        end = behind_group(end);
        continue;
      }
      if (is(end, "<")) ++depth;
      if (is(end, ">") && !is(end - 1, "-")) --depth;
      ++end;
      if (depth == 0) return end;
    }
    return at + 1;
  }

  // Reads declarations up to the brace that closes the scope, or to the end.
  void read_scope(bool in_class) {
    while (at_ < tokens_.size() && !is(at_, "}")) read_declaration(in_class);
  }

  // Reads from the brace that opens a scope to behind the one that closes it.
  void read_inner_scope(bool in_class) {
    constexpr int kMaxDepth = 200;
    if (depth_ == kMaxDepth) {
      at_ = behind_group(at_);
      return;
    }
    ++at_;
    ++depth_;
    read_scope(in_class);
    --depth_;
    if (at_ < tokens_.size()) ++at_;
  }

  void read_declaration(bool in_class) {
    const std::size_t begin = at_;
    if (is_device_invocation(begin)) {
      at_ = behind_group(begin + 1);
      return;
    }
    Declaration declaration;
    declaration.first = begin;
    while (is(at_, "template") && is(at_ + 1, "<")) {
      declaration.is_template = true;
      declaration.first = at_ = behind_angles(at_ + 1);
    }
    while (at_ < tokens_.size()) {
      const std::string_view text = tokens_[at_].text;
      if (text == "}") return;
      if (text == ";") {
        ++at_;
        return end_simple(begin, declaration, in_class);
      }
      if (text == "{") {
        if (read_braces(begin, declaration, in_class)) return;
      } else if (text == ":" && in_class && at_ == begin + 1 &&
                 is_any_of(tokens_[begin].text, {"public", "private", "protected"})) {
        ++at_;
        return;
      } else if (text == ":" && declaration.has_parameters && !is(at_ + 1, ":") && !is(at_ - 1, ":")) {
        skip_member_initialisers();
      } else {
        read_token(declaration);
      }
    }
  }

  void read_token(Declaration& declaration) {
    const std::string_view text = tokens_[at_].text;
    const bool follows_operator =
        at_ > 0 && (is(at_ - 1, "operator") || (at_ > 1 && is(at_ - 2, "operator")));
    if (text == "(") {
      const std::size_t before = at_ == declaration.first ? at_ : at_ - 1;
      const bool is_pointer = is(at_ + 1, "*") || is(at_ + 1, "&");
      const bool named = declaration.is_operator || (before < at_ && !is_pointer && names_function(before));
      const bool is_call_operator = is(before, "operator");
      at_ = behind_group(at_);
      if (is_call_operator) return;  // `operator()`: the parameters follow.
      if (named && !declaration.has_initialiser && !declaration.has_parameters) {
        declaration.has_parameters = true;
        declaration.name = before;
      }
    } else if (text == "[") {
      at_ = behind_group(at_);
    } else if (text == "<" && !declaration.has_initialiser && !follows_operator) {
      at_ = behind_angles(at_);
    } else {
      if (text == "=" && !follows_operator) declaration.has_initialiser = true;
      if (text == "operator") declaration.is_operator = true;
      if (!declaration.class_key && !declaration.has_parameters &&
          is_any_of(text, {"struct", "class", "union", "enum"}))
        declaration.class_key = text;
      ++at_;
    }
  }

  // Whether the token before a parenthesis may be a function's name.
  bool names_function(std::size_t before) const {
    const Token& token = tokens_[before];
    if (token.kind == TokenKind::kIdentifier) return !takes_parentheses(token.text);
    return token.is(">");
  }

  // `: a(b), c{d}` of a constructor.
  void skip_member_initialisers() {
    for (++at_; at_ < tokens_.size() && !is(at_, ";");) {
      if (is(at_, "<")) {
        at_ = behind_angles(at_);
      } else if (is(at_, "(")) {
        at_ = behind_group(at_);
      } else if (is(at_, "{")) {
        const bool initialises = tokens_[at_ - 1].kind == TokenKind::kIdentifier || is(at_ - 1, ">");
        if (!initialises) return;
        at_ = behind_group(at_);
      } else {
        ++at_;
      }
    }
  }

  // Reads what begins with a brace. Returns whether the declaration ends there.
  bool read_braces(std::size_t begin, const Declaration& declaration, bool in_class) {
    const bool opens_namespace =
        is(begin, "namespace") || (is(begin, "inline") && is(begin + 1, "namespace"));
    const bool opens_linkage = is(begin, "extern") && begin + 2 == at_;
    if (opens_namespace || opens_linkage) {
      read_inner_scope(false);
      return true;
    }
    if (declaration.has_parameters && !declaration.has_initialiser) {
      const std::size_t open = at_;
      at_ = behind_group(at_);
      end_function(begin, declaration, open, in_class);
      return true;
    }
    if (declaration.class_key && *declaration.class_key != "enum" && !declaration.has_initialiser) {
      read_inner_scope(true);
    } else {
      at_ = behind_group(at_);
    }
    return false;
  }

  bool is_device_invocation(std::size_t at) const {
    if (tokens_[at].kind != TokenKind::kIdentifier || !is(at + 1, "(") ||
        tokens_[at].text.starts_with("__") || !is_device_word(tokens_[at].text))
      return false;
    const std::size_t behind = behind_group(at + 1);
    return !is(behind, "(") && !is(behind, "{");
  }
  bool is_device_word(std::string_view word) const {
    return device_words_.contains(word) || is_device_macro_of_cuda(word);
  }
  bool has_device_word(std::size_t begin, std::size_t end) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                       tokens_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const Token& token) { return is_device_word(token.text); });
  }
  // Whether one of `words` stands outside of brackets.
  bool has_word(std::size_t begin, std::size_t end, std::initializer_list<std::string_view> words) const {
    for (std::size_t at = begin; at < end;) {
      if (is_any_of(tokens_[at].text, words)) return true;
      at = is(at, "(") || is(at, "[") || is(at, "{") ? behind_group(at) : at + 1;
    }
    return false;
  }

  // Whether a word in capitals before the function's name may be an unknown macro with a device word. It is
  // not one if it is the only word for the type.
  bool may_be_annotated(const Declaration& declaration) const {
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

  void end_function(std::size_t begin, const Declaration& declaration, std::size_t open, bool in_class) {
    if (has_device_word(begin, open) || has_word(begin, open, {"constexpr", "consteval"}) ||
        may_be_annotated(declaration))
      return;
    HostCode code;
    code.surely_refused = !in_class && !declaration.is_template && source_.surely_active[declaration.name];
    const bool stays = in_class && has_word(begin, open, {"virtual", "override"});
    code.body_only = stays;
    code.begin = tokens_[stays ? open : begin].begin;
    code.end = tokens_[at_ - 1].end();
    found_.push_back(code);
  }

  // Ends a declaration with `;`.
  void end_simple(std::size_t begin, const Declaration& declaration, bool in_class) {
    if (at_ == begin + 1 || has_device_word(begin, at_)) return;
    if (is_any_of(tokens_[declaration.first].text,
                  {"using", "typedef", "static_assert", "namespace", "asm", "template"}))
      return;
    const bool is_function = declaration.has_parameters && !declaration.has_initialiser;
    if (in_class) {
      if (!is_function || has_word(begin, at_, {"constexpr", "consteval", "virtual", "override"})) return;
    } else if ((declaration.class_key && !is_function) || is_constant(begin)) {
      return;
    }
    found_.push_back({tokens_[begin].begin, tokens_[at_ - 1].end(), false, false});
  }

  // Whether the declaration from `begin` on is a constant that device code may use.
  bool is_constant(std::size_t begin) const {
    return has_word(begin, at_, {"const", "constexpr", "consteval", "constinit"}) && !has_host_type(begin);
  }

  bool has_host_type(std::size_t begin) const {
    for (std::size_t at = begin; at + 3 < at_; ++at) {
      if (is_any_of(tokens_[at].text, {"std", "thrust"}) && is(at + 1, ":") &&
          is_host_type(tokens_[at + 3].text))
        return true;
    }
    return false;
  }

  const SourceTokens& source_;
  const std::vector<Token>& tokens_;
  const Words& device_words_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<HostCode> found_;
};

}  // namespace

Words device_words(const std::vector<const SourceTokens*>& sources) {
  Words words = {"__global__", "__device__",  "__constant__",
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

std::vector<HostCode> find_host_code(const SourceTokens& source, const Words& device_words) {
  return Scanner(source, device_words).find();
}

std::string without_host_code(std::string_view source, const SourceTokens& tokens,
                              const std::vector<HostCode>& host_code) {
  std::string text(source);
  for (const HostCode& code : host_code) {
    for (std::size_t at = code.begin; at < code.end; ++at) {
      if (text[at] != '\n') text[at] = ' ';
    }
    if (code.body_only) text[code.begin] = ';';
  }
  for (const Directive& directive : tokens.directives) {
    if (is_any_of(directive.name, {"if", "ifdef", "ifndef", "else", "elif", "elifdef", "elifndef", "endif",
                                   "define", "undef"}))
      text.replace(directive.begin, directive.end - directive.begin,
                   source.substr(directive.begin, directive.end - directive.begin));
  }
  return text;
}

}  // namespace warptune::kernel_templates::adapting
