// Rewrites a kernel's source as C++ for the host. Only three parts of the text change:
// * Shared variables, whose memory belongs to a block.
// * `extern "C"`, because copies of one kernel have namespaces of their own.
// * Includes, which must stay outside of these namespaces.
//
// Macros in the headers of the emulation's runtime handle the other differences.
#include "kernel_templates/emulation/source_rewriting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "kernel_templates/adapting/source_tokens.h"

namespace warptune::kernel_templates::emulation {

namespace {

using adapting::Directive;
using adapting::SourceTokens;
using adapting::Token;
using adapting::TokenKind;

struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

// A declarator of a shared variable.
struct Declared {
  std::string name;
  std::string dimensions;  ///< `[4][N]`; empty for a single value.
  bool open = false;       ///< The first dimension is empty: `[]`.
};

// One declaration with `__shared__`.
struct SharedDeclaration {
  std::string type;
  bool dynamic = false;
  std::vector<Declared> variables;
};

bool is_header_of_the_host(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kHeaders = {
      "assert.h", "float.h", "limits.h", "math.h",      "stdbool.h",  "stddef.h",
      "stdint.h", "stdio.h", "stdlib.h", "cuda_fp16.h", "cuda_bf16.h"};
  const bool standard = name.find_first_of("./") == std::string_view::npos;  // Such as <cmath>.
  return standard || std::find(kHeaders.begin(), kHeaders.end(), name) != kHeaders.end();
}

class Rewriting {
 public:
  explicit Rewriting(std::string_view source) : source_(source), read_(adapting::read_tokens(source)) {}

  base::Result<RewrittenSource> run() {
    for (const Directive& directive : read_.directives) take(directive);
    for (std::size_t i = 0; i < tokens().size() && problem_.empty(); ++i) {
      const Token& token = tokens()[i];
      if (token.is("{")) scopes_.push_back(opens_namespace(i));
      if (token.is("}") && !scopes_.empty()) scopes_.pop_back();
      if (token.is("extern") && i + 1 < tokens().size() && tokens()[i + 1].is("\"C\"")) take_linkage(i);
      if (token.kind == TokenKind::kIdentifier && token.is("__shared__")) i = take_shared(i);
    }
    if (!problem_.empty()) return base::failure(problem_);
    result_.text = edited();
    return std::move(result_);
  }

 private:
  const std::vector<Token>& tokens() const { return read_.tokens; }

  void take(const Directive& directive) {
    if (directive.name == "define") {
      const std::size_t end = directive.rest.find_first_of("( \t\\\n");
      result_.macros.emplace(directive.rest.substr(0, end));
    }
    if (directive.name != "include") return;
    const std::string_view rest = directive.rest;
    const std::size_t close = rest.find('>');
    if (rest.starts_with('<') && close != std::string_view::npos) {
      const std::string_view name = rest.substr(1, close - 1);
      if (is_header_of_the_host(name)) result_.headers.emplace_back(name);
    }
    replace(directive.begin, directive.end, "");
  }

  // Whether a `{` opens a namespace or a block of `extern "C"`.
  bool opens_namespace(std::size_t brace) const {
    for (std::size_t i = brace; i-- > 0;) {
      const Token& token = tokens()[i];
      if (token.is(";") || token.is("{") || token.is("}") || token.is(")")) return false;
      if (token.is("namespace") || token.is("\"C\"")) return true;
    }
    return false;
  }
  bool in_function() const { return std::find(scopes_.begin(), scopes_.end(), false) != scopes_.end(); }

  void take_linkage(std::size_t i) {
    const bool block = i + 2 < tokens().size() && tokens()[i + 2].is("{");
    replace(tokens()[i].begin, tokens()[i + 1].end(), block ? "inline namespace warptune_c_linkage" : "");
  }

  // Rewrites the declaration around the `__shared__` at `index`. Returns the index of its semicolon.
  std::size_t take_shared(std::size_t index) {
    std::size_t begin = index;
    while (begin > 0 && !is_boundary(tokens()[begin - 1])) --begin;
    std::size_t end = index;
    while (end < tokens().size() && !tokens()[end].is(";") && !tokens()[end].is("{")) ++end;
    if (end == tokens().size() || tokens()[end].is("{")) {
      problem_ = "a shared variable without a named type";
      return end;
    }
    const std::optional<SharedDeclaration> declaration = parse(begin, end);
    if (!declaration || (!declaration->dynamic && !in_function())) {
      problem_ = "a shared variable in a form that is not known";
      return end;
    }
    std::string text;
    for (const Declared& variable : declaration->variables) text += text_of(*declaration, variable);
    replace(tokens()[begin].begin, tokens()[end].end(), text);
    return end;
  }

  static bool is_boundary(const Token& token) { return token.is(";") || token.is("{") || token.is("}"); }

  std::string text_of(const SharedDeclaration& shared, const Declared& variable) const {
    const std::string whole = shared.type + variable.dimensions;
    if (shared.dynamic) {
      return in_function()
                 ? fmt::format("auto* {} = ::warptune::emulation::dynamic_shared<{}>();", variable.name,
                               whole)
                 : fmt::format("static ::warptune::emulation::DynamicShared<{}> {};", whole, variable.name);
    }
    return fmt::format(
        "static char warptune_site_{0}; auto& {0} = "
        "::warptune::emulation::static_shared<{1}>(&warptune_site_{0});",
        variable.name, whole);
  }

  std::optional<SharedDeclaration> parse(std::size_t begin, std::size_t end) const {
    SharedDeclaration shared;
    std::vector<std::size_t> kept;  // Without specifiers and alignments.
    for (std::size_t i = begin; i < end; ++i) {
      const Token& token = tokens()[i];
      if (token.is("extern")) shared.dynamic = true;
      if (token.is("extern") || token.is("static") || token.is("__shared__")) continue;
      if (token.is("__align__") || token.is("alignas")) {
        while (i < end && !tokens()[i].is(")")) ++i;
        continue;
      }
      kept.push_back(i);
    }
    std::vector<std::size_t> part;
    int depth = 0;
    for (std::size_t k = 0; k <= kept.size(); ++k) {
      const bool last = k == kept.size();
      const std::string_view mark = last ? "," : tokens()[kept[k]].text;
      depth += mark == "[" || mark == "(" || mark == "<"   ? 1
               : mark == "]" || mark == ")" || mark == ">" ? -1
                                                           : 0;
      if (mark != "," || (depth != 0 && !last)) {
        part.push_back(kept[k]);
        continue;
      }
      if (!add_variable(part, shared)) return std::nullopt;
      part.clear();
    }
    return shared;
  }

  // Adds a declarator. The first one begins with the type.
  bool add_variable(const std::vector<std::size_t>& part, SharedDeclaration& shared) const {
    std::size_t name = 0;
    int angles = 0;
    while (name < part.size() && (angles > 0 || !tokens()[part[name]].is("["))) {
      angles += tokens()[part[name]].is("<") ? 1 : tokens()[part[name]].is(">") ? -1 : 0;
      ++name;
    }
    if (name == 0) return false;
    --name;
    if (tokens()[part[name]].kind != TokenKind::kIdentifier) return false;
    if (shared.variables.empty()) {
      if (name == 0) return false;
      shared.type = joined(part, 0, name);
    } else if (name != 0) {
      return false;
    }
    Declared variable{std::string(tokens()[part[name]].text), "", false};
    std::size_t first = name + 1;
    const auto is = [&](std::size_t at, std::string_view mark) {
      return at < part.size() && tokens()[part[at]].is(mark);
    };
    if (shared.dynamic) {
      if (!is(first, "[") || !is(first + 1, "]")) return false;
      first += 2;
    }
    if (first < part.size() && !is(first, "[")) return false;  // An initialiser.
    variable.dimensions = joined(part, first, part.size());
    shared.variables.push_back(std::move(variable));
    return true;
  }

  std::string joined(const std::vector<std::size_t>& part, std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      const Token& token = tokens()[part[i]];
      if (i > begin && tokens()[part[i - 1]].end() != token.begin) text += ' ';
      text += token.text;
    }
    return text;
  }

  // Line breaks stay, so that messages name the source's lines.
  void replace(std::size_t begin, std::size_t end, std::string text) {
    text.append(
        static_cast<std::size_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(begin),
                                            source_.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
        '\n');
    edits_.push_back({begin, end, std::move(text)});
  }

  std::string edited() {
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& left, const Edit& right) { return left.begin < right.begin; });
    std::string text;
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      if (edit.begin < at) continue;
      text += source_.substr(at, edit.begin - at);
      text += edit.text;
      at = edit.end;
    }
    return text.append(source_.substr(at));
  }

  std::string_view source_;
  SourceTokens read_;
  std::vector<bool> scopes_;  ///< For each open brace: whether it is that of a namespace.
  std::vector<Edit> edits_;
  std::string problem_;
  RewrittenSource result_;
};

}  // namespace

base::Result<RewrittenSource> rewritten_source(std::string_view source) { return Rewriting(source).run(); }

std::string unsupported_words(std::string_view source) {
  struct Word {
    std::string_view beginning;
    std::string_view meaning;
  };
  // The most informative words come first, because only the first one that occurs is reported.
  static constexpr std::array<Word, 20> kWords = {{{"wmma", "tensor cores"},
                                                   {"nvcuda", "tensor cores"},
                                                   {"cp_async", "asynchronous copies"},
                                                   {"__pipeline_", "asynchronous copies"},
                                                   {"memcpy_async", "asynchronous copies"},
                                                   {"CUtensorMap", "tensor maps"},
                                                   {"__cluster_dims__", "clusters"},
                                                   {"asm", "inline PTX"},
                                                   {"__asm__", "inline PTX"},
                                                   {"cudaTextureObject_t", "textures"},
                                                   {"tex1D", "textures"},
                                                   {"tex2D", "textures"},
                                                   {"tex3D", "textures"},
                                                   {"cooperative_groups", "cooperative groups"},
                                                   {"cub", "CUB"},
                                                   {"thrust", "Thrust"},
                                                   {"cuda", "libcu++"},
                                                   {"cudaLaunchDevice", "launches by kernels"},
                                                   {"__half2", "vectors of half precision"},
                                                   {"__nv_bfloat162", "vectors of half precision"}}};
  const SourceTokens read = adapting::read_tokens(source);
  for (const Word& word : kWords) {
    const bool whole = word.beginning == "cub" || word.beginning == "thrust" || word.beginning == "cuda" ||
                       word.beginning == "asm" || word.beginning == "__half2";
    const bool used = std::any_of(read.tokens.begin(), read.tokens.end(), [&](const Token& token) {
      return token.kind == TokenKind::kIdentifier &&
             (whole ? token.is(word.beginning) : token.text.starts_with(word.beginning));
    });
    if (used) return std::string(word.meaning);
  }
  return "";
}

}  // namespace warptune::kernel_templates::emulation
