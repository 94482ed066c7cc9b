// Finds host code without a parser of C++.
//
// At the level of namespaces and classes, a declaration ends with `;` or with the body of a function. Its
// tokens up to there show its kind. A name before parentheses belongs to a function, the key words `struct`,
// `class`, `union` and `enum` to a class, and `=` to an initialiser. Bodies of functions are skipped as
// groups of braces. Conditions of the preprocessor may repeat an opening brace in each of their branches, so
// the depth at the beginning of a branch is that at its `#if`.
#include "kernel_templates/adapting/host_code.h"

#include <utility>

#include "kernel_templates/adapting/declared_words.h"
#include "kernel_templates/adapting/token_groups.h"

namespace warptune::kernel_templates::adapting {

namespace {

// Whether a word before parentheses is a specifier or an operator, and not the name of a function.
bool takes_parentheses(std::string_view word) {
  return is_any_of(word,
                   {"__align__", "alignas", "__attribute__", "__declspec", "__launch_bounds__", "decltype",
                    "noexcept", "requires", "explicit", "__block_size__", "__maxnreg__", "if", "typeof"});
}

class Scanner {
 public:
  Scanner(const SourceTokens& source, const DeviceWords& device_words)
      : source_(source), tokens_(source.tokens), groups_(source), words_(source, device_words) {}

  std::vector<HostCode> find() {
    while (at_ < tokens_.size()) {
      read_scope(false);
      if (at_ < tokens_.size()) ++at_;  // A brace that closes nothing.
    }
    return std::move(found_);
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return groups_.is(at, text); }
  std::size_t behind_group(std::size_t at) const { return groups_.behind_group(at); }
  std::size_t behind_angles(std::size_t at) const { return groups_.behind_angles(at); }

  // Reads declarations up to the brace that closes the scope, or to the end.
  void read_scope(bool in_class) {
    while (at_ < tokens_.size() && !is(at_, "}")) read_declaration(in_class);
  }

  // Reads a scope from its opening brace to its closing one, inclusive.
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
    if (words_.is_device_invocation(begin)) {
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

  void end_function(std::size_t begin, const Declaration& declaration, std::size_t open, bool in_class) {
    if (words_.has_device_word(begin, open) || words_.has_word(begin, open, {"constexpr", "consteval"}) ||
        words_.may_be_annotated(declaration))
      return;
    HostCode code;
    code.surely_refused = !in_class && !declaration.is_template && source_.surely_active[declaration.name];
    const bool stays = in_class && words_.has_word(begin, open, {"virtual", "override"});
    code.body_only = stays;
    code.begin = tokens_[stays ? open : begin].begin;
    code.end = tokens_[at_ - 1].end();
    found_.push_back(code);
  }

  // Records a declaration that ends with `;`, if it is host code.
  void end_simple(std::size_t begin, const Declaration& declaration, bool in_class) {
    if (at_ == begin + 1 || words_.has_device_word(begin, at_)) return;
    if (is_any_of(tokens_[declaration.first].text,
                  {"using", "typedef", "static_assert", "namespace", "asm", "template"}))
      return;
    const bool is_function = declaration.has_parameters && !declaration.has_initialiser;
    if (in_class) {
      if (!is_function || words_.has_word(begin, at_, {"constexpr", "consteval", "virtual", "override"}))
        return;
    } else if ((declaration.class_key && !is_function) || words_.is_constant(begin, at_)) {
      return;
    }
    found_.push_back({tokens_[begin].begin, tokens_[at_ - 1].end(), false, false});
  }

  const SourceTokens& source_;
  const std::vector<Token>& tokens_;
  TokenGroups groups_;
  DeclaredWords words_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<HostCode> found_;
};

}  // namespace

std::vector<HostCode> find_host_code(const SourceTokens& source, const DeviceWords& device_words) {
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
