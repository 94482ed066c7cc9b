#include "kernel_templates/adapting/source_tokens.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace warptune::kernel_templates::adapting {

namespace {

bool starts_identifier(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view first_word(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), continues_identifier);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

enum class Truth { kTrue, kFalse, kUnknown };

Truth opposite(Truth truth) {
  if (truth == Truth::kUnknown) return truth;
  return truth == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

// Whether NVRTC, as warptune calls it, defines a macro.
Truth is_defined(std::string_view name) {
  constexpr std::string_view kAlways[] = {"__CUDACC_RTC__", "__CUDACC__", "__CUDA_ARCH__", "__cplusplus",
                                          "WARPTUNE"};
  constexpr std::string_view kNever[] = {"_WIN32",
                                         "_WIN64",
                                         "WIN32",
                                         "_MSC_VER",
                                         "__APPLE__",
                                         "__HIP__",
                                         "__HIPCC__",
                                         "__HIP_PLATFORM_AMD__",
                                         "__OPENCL_VERSION__"};
  if (std::find(std::begin(kAlways), std::end(kAlways), name) != std::end(kAlways)) return Truth::kTrue;
  if (std::find(std::begin(kNever), std::end(kNever), name) != std::end(kNever)) return Truth::kFalse;
  return Truth::kUnknown;
}

// Reads `0`, `1`, `defined(X)`, `defined X` and their negations.
Truth value_of(std::string_view condition) {
  bool negated = false;
  for (condition = base::trim(condition); condition.starts_with("!");
       condition = base::trim(condition.substr(1)))
    negated = !negated;
  Truth value = Truth::kUnknown;
  if (condition == "0") value = Truth::kFalse;
  if (condition == "1") value = Truth::kTrue;
  if (condition.starts_with("defined")) {
    std::string_view name = base::trim(condition.substr(7));
    if (name.starts_with("(") && name.ends_with(")")) name = base::trim(name.substr(1, name.size() - 2));
    if (first_word(name) == name) value = is_defined(name);
  }
  return negated ? opposite(value) : value;
}

// The preprocessor conditions that are open at the current line.
class Conditions {
 public:
  bool surely_active() const {
    return std::all_of(open_.begin(), open_.end(), [](Truth now) { return now == Truth::kTrue; });
  }
  /// `guard` is the name that the next directive defines.
  void read(const Directive& directive, std::string_view guard) {
    if (directive.name == "if") {
      open_.push_back(value_of(directive.rest));
    } else if (directive.name == "ifdef") {
      open_.push_back(is_defined(directive.rest));
    } else if (directive.name == "ifndef") {
      open_.push_back(directive.rest == guard ? Truth::kTrue : opposite(is_defined(directive.rest)));
    } else if (open_.empty()) {
      return;
    } else if (directive.name == "else") {
      open_.back() = opposite(open_.back());
    } else if (directive.name.starts_with("elif")) {
      open_.back() = open_.back() == Truth::kTrue ? Truth::kFalse : Truth::kUnknown;
    } else if (directive.name == "endif") {
      open_.pop_back();
    }
  }

 private:
  std::vector<Truth> open_;
};

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {}

  SourceTokens read() {
    bool line_begins = true;
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '\n') {
        line_begins = true;
        ++at_;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || (c == '\\' && peek(1) == '\n')) {
        ++at_;
      } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
        at_ = end_of_comment(at_);
      } else if (c == '#' && line_begins) {
        read_directive();
      } else {
        line_begins = false;
        read_token();
      }
    }
    settle_conditions();
    return std::move(found_);
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  std::size_t end_of_comment(std::size_t at) const {
    if (source_[at + 1] == '*') {
      const std::size_t end = source_.find("*/", at + 2);
      return end == std::string_view::npos ? source_.size() : end + 2;
    }
    return end_of_line(at);
  }

  // The next line break that no backslash precedes.
  std::size_t end_of_line(std::size_t at) const {
    for (;; ++at) {
      at = std::min(source_.find('\n', at), source_.size());
      if (at == source_.size()) return at;
      const std::size_t last = at > 0 && source_[at - 1] == '\r' ? at - 2 : at - 1;
      if (at == 0 || source_[last] != '\\') return at;
    }
  }

  // The text of a directive ends where its first comment begins.
  void read_directive() {
    Directive directive;
    directive.begin = at_;
    directive.tokens = found_.tokens.size();
    std::size_t text_end = source_.size();
    for (++at_; at_ < source_.size();) {
      const bool is_comment = peek(0) == '/' && (peek(1) == '/' || peek(1) == '*');
      if (is_comment) text_end = std::min(text_end, at_);
      if (is_comment && peek(1) == '*') {
        at_ = end_of_comment(at_);
      } else if (is_comment || peek(0) == '\n' || peek(0) == '\\') {
        const std::size_t end = end_of_line(at_);
        if (is_comment || peek(0) == '\n' || end == at_) break;
        ++at_;
        if (peek(0) == '\r') ++at_;
        if (peek(0) == '\n') ++at_;
      } else if (peek(0) == '"') {
        skip_quoted('"');
      } else {
        ++at_;
      }
    }
    at_ = directive.end = end_of_line(at_);
    const std::string_view text = base::trim(
        source_.substr(directive.begin + 1, std::min(text_end, directive.end) - directive.begin - 1));
    directive.name = first_word(text);
    directive.rest = base::trim(text.substr(directive.name.size()));
    found_.directives.push_back(directive);
  }

  void read_token() {
    const std::size_t begin = at_;
    const char c = source_[at_];
    TokenKind kind = TokenKind::kMark;
    if (c == '"' || c == '\'') {
      kind = TokenKind::kLiteral;
      skip_quoted(c);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      kind = TokenKind::kLiteral;
      while (continues_identifier(peek(0)) || peek(0) == '.' ||
             (peek(0) == '\'' && continues_identifier(peek(1))))
        ++at_;
    } else if (starts_identifier(c)) {
      while (continues_identifier(peek(0))) ++at_;
      const std::string_view word = source_.substr(begin, at_ - begin);
      kind = TokenKind::kIdentifier;
      if (peek(0) == '"' && word.ends_with('R') && word.size() <= 3) {
        kind = TokenKind::kLiteral;
        skip_raw();
      }
    } else {
      ++at_;
    }
    found_.tokens.push_back({kind, begin, source_.substr(begin, at_ - begin)});
  }

  void skip_quoted(char quote) {
    for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_) {
      if (source_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, source_.size());
  }

  void skip_raw() {
    const std::size_t open = std::min(source_.find('(', at_), source_.size() - 1);
    const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = source_.find(close, open);
    at_ = end == std::string_view::npos ? source_.size() : end + close.size();
  }

  void settle_conditions() {
    Conditions conditions;
    std::size_t next = 0;
    found_.surely_active.resize(found_.tokens.size());
    const auto settle = [&](std::size_t end) {
      const bool active = conditions.surely_active();
      for (; next < end; ++next) found_.surely_active[next] = active;
    };
    for (std::size_t i = 0; i < found_.directives.size(); ++i) {
      Directive& directive = found_.directives[i];
      settle(directive.tokens);
      const bool defines = i + 1 < found_.directives.size() && found_.directives[i + 1].name == "define";
      conditions.read(directive, defines ? first_word(found_.directives[i + 1].rest) : std::string_view());
      directive.surely_active = conditions.surely_active();
    }
    settle(found_.tokens.size());
  }

  std::string_view source_;
  std::size_t at_ = 0;
  SourceTokens found_;
};

}  // namespace

SourceTokens read_tokens(std::string_view source) { return Reader(source).read(); }

}  // namespace warptune::kernel_templates::adapting
