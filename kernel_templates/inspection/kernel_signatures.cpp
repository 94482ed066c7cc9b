// Finds the kernels of a source. The text is split into tokens, without comments and preprocessor lines. The
// tokens around each `__global__` are then read as the beginning of a function.
#include "kernel_templates/inspection/kernel_signatures.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace warptune::kernel_templates::inspection {

namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

int depth_change(const std::string& text) {
  constexpr std::array<std::string_view, 4> kOpen = {"(", "<", "[", "{"};
  constexpr std::array<std::string_view, 4> kClose = {")", ">", "]", "}"};
  if (std::find(kOpen.begin(), kOpen.end(), text) != kOpen.end()) return 1;
  return std::find(kClose.begin(), kClose.end(), text) != kClose.end() ? -1 : 0;
}

}  // namespace

bool is_word(const std::string& text) {
  return !text.empty() && is_word_character(text.front()) &&
         std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

namespace {

class Tokens {
 public:
  explicit Tokens(std::string_view code) : code_(code) {}

  std::vector<CodeToken> run() {
    while (at_ < code_.size()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char c = code_[at_];
    if (c == '\n' || std::isspace(static_cast<unsigned char>(c)) != 0) {
      line_start_ = line_start_ || c == '\n';
      take(1);
    } else if (code_.substr(at_, 2) == "//") {
      take_until(code_.find('\n', at_));
    } else if (code_.substr(at_, 2) == "/*") {
      const std::size_t end = code_.find("*/", at_ + 2);
      take_until(end == std::string_view::npos ? end : end + 2);
    } else if (c == '#' && line_start_) {
      std::size_t end = code_.find('\n', at_);
      while (end != std::string_view::npos && code_[end - 1] == '\\') end = code_.find('\n', end + 1);
      take_until(end);
    } else {
      line_start_ = false;
      take_token(c);
    }
  }
  void take_token(char c) {
    std::size_t size = 1;
    if (is_word_character(c)) {
      while (at_ + size < code_.size() && is_word_character(code_[at_ + size])) ++size;
    } else if (c == '"' || c == '\'') {
      while (at_ + size < code_.size() && code_[at_ + size] != c && code_[at_ + size] != '\n')
        size += code_[at_ + size] == '\\' ? 2U : 1U;
      ++size;
    } else if (code_.substr(at_, 2) == "::") {
      size = 2;
    } else if (code_.substr(at_, 3) == "...") {
      size = 3;
    }
    tokens_.push_back({std::string(code_.substr(at_, size)), line_});
    take(size);
  }
  void take_until(std::size_t end) { take(std::min(end, code_.size()) - at_); }
  void take(std::size_t size) {
    size = std::min(size, code_.size() - at_);
    const std::string_view taken = code_.substr(at_, size);
    line_ += static_cast<int>(std::count(taken.begin(), taken.end(), '\n'));
    at_ += size;
  }

  std::string_view code_;
  std::vector<CodeToken> tokens_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_start_ = true;
};

}  // namespace

std::vector<CodeToken> code_tokens(std::string_view code) { return Tokens(code).run(); }

std::size_t closing_of(const std::vector<CodeToken>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += depth_change(tokens[i].text);
    if (depth == 0) return i;
  }
  return tokens.size();
}

namespace {

// Words that are a part of a type or a qualifier, and never the name of a parameter.
bool is_type_word(const std::string& word) {
  constexpr std::array<std::string_view, 16> kWords = {
      "void",   "bool",     "char",  "short",    "int",      "long",  "float",  "double",
      "signed", "unsigned", "const", "volatile", "typename", "class", "struct", "auto"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_left_out(const std::string& word) {
  return word == "__restrict__" || word == "__restrict" || word == "__grid_constant__";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool blank = !text.empty() && is_word_character(text.back()) && is_word_character(word.front());
    text += (blank ? " " : "") + word;
  }
  return text;
}

}  // namespace

WrittenParameter written_parameter(const std::vector<CodeToken>& tokens, std::size_t begin, std::size_t end) {
  std::vector<std::string> words;
  bool is_array = false;
  int depth = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string& text = tokens[i].text;
    if (text == "=" && depth == 0) break;
    depth += depth_change(text);
    is_array = is_array || text == "[";
    if (text == "[" || text == "]" || is_left_out(text)) continue;
    words.push_back(text);
  }
  WrittenParameter parameter;
  const bool named = words.size() > 1 && is_word(words.back()) && !is_type_word(words.back()) &&
                     words[words.size() - 2] != "::";
  const bool only_qualified = words.size() == 2 && (words[0] == "const" || words[0] == "struct");
  if (named && !only_qualified) {
    parameter.name = words.back();
    words.pop_back();
  }
  const bool pointer = std::find(words.begin(), words.end(), "*") != words.end();
  if (!pointer && !is_array) std::erase(words, "const");
  if (pointer && words.back() == "const") words.pop_back();  // The pointer itself is constant.
  if (is_array) words.emplace_back("*");
  parameter.type = joined(words);
  return parameter;
}

namespace {

// The parameters between the brackets at `open` and `close`.
std::vector<WrittenParameter> read_parameters(const std::vector<CodeToken>& tokens, std::size_t open,
                                              std::size_t close) {
  std::vector<WrittenParameter> parameters;
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t i = open + 1; i <= close; ++i) {
    if (i < close) depth += depth_change(tokens[i].text);
    const bool ends = i == close || (tokens[i].text == "," && depth == 0);
    if (!ends) continue;
    const bool is_void = i == begin + 1 && tokens[begin].text == "void";
    if (i > begin && !is_void) parameters.push_back(written_parameter(tokens, begin, i));
    begin = i + 1;
  }
  return parameters;
}

// Reads `template <...>` before the token at `at`, if only specifiers are between them.
void read_template(const std::vector<CodeToken>& tokens, std::size_t at, KernelSignature& signature) {
  for (std::size_t i = at; i-- > 0;) {
    const std::string& text = tokens[i].text;
    if (text == ")") {  // __launch_bounds__(...)
      while (i > 0 && tokens[i].text != "(") --i;
      continue;
    }
    if (text == ">") {
      int depth = 0;
      std::size_t open = i + 1;
      while (open-- > 0) {
        depth += depth_change(tokens[open].text);
        if (depth == 0) break;
      }
      if (open == 0 || open > i || tokens[open - 1].text != "template") return;
      signature.is_template = true;
      signature.template_parameters = read_parameters(tokens, open, i);
      return;
    }
    if (!is_word(text) && text.front() != '"') return;
  }
}

std::optional<KernelSignature> signature_at(const std::vector<CodeToken>& tokens, std::size_t at) {
  for (std::size_t i = at + 1; i + 1 < tokens.size(); ++i) {
    const std::string& text = tokens[i].text;
    if (text == ";" || text == "{" || text == "}") return std::nullopt;
    if (tokens[i + 1].text != "(") continue;
    if (text.starts_with("__") && text.ends_with("__")) {  // An attribute: __launch_bounds__(...)
      i = closing_of(tokens, i + 1);
      continue;
    }
    if (!is_word(text)) return std::nullopt;
    KernelSignature signature;
    signature.name = text;
    signature.line = tokens[i].line;
    const std::size_t close = closing_of(tokens, i + 1);
    if (close == tokens.size()) return std::nullopt;
    signature.parameters = read_parameters(tokens, i + 1, close);
    read_template(tokens, at, signature);
    return signature;
  }
  return std::nullopt;
}

// The open braces of a text, those of namespaces with their names.
class Scopes {
 public:
  // Reads the token at `at`. Returns the last token that belongs to it.
  std::size_t read(const std::vector<CodeToken>& tokens, std::size_t at) {
    const std::string& text = tokens[at].text;
    if (text == "{") open_.emplace_back();
    if (text == "}" && !open_.empty()) open_.pop_back();
    if (text != "namespace") return at;
    std::string name;
    for (std::size_t i = at + 1; i < tokens.size(); ++i) {
      if (tokens[i].text == "{") {
        open_.push_back(name);
        return i;
      }
      if (tokens[i].text == ";" || tokens[i].text == "=") return i;  // It names a namespace, and opens none.
      if (is_word(tokens[i].text) && tokens[i].text != "inline") name += tokens[i].text + "::";
    }
    return at;
  }

  std::string text() const {
    std::string all;
    for (const std::string& name : open_) all += name;
    return all;
  }

 private:
  std::vector<std::string> open_;
};

}  // namespace

std::vector<KernelSignature> kernel_signatures(std::string_view code) {
  const std::vector<CodeToken> tokens = code_tokens(code);
  std::vector<KernelSignature> signatures;
  Scopes scopes;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    i = scopes.read(tokens, i);
    if (tokens[i].text != "__global__") continue;
    std::optional<KernelSignature> signature = signature_at(tokens, i);
    if (signature) signature->scope = scopes.text();
    const auto is_same = [&](const KernelSignature& other) {
      return other.full_name() == signature->full_name();
    };
    if (signature && std::none_of(signatures.begin(), signatures.end(), is_same))
      signatures.push_back(std::move(*signature));
  }
  return signatures;
}

}  // namespace warptune::kernel_templates::inspection
