#include "kernel_templates/compiling/inlined_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/adapting/source_tokens.h"
#include "kernel_templates/compiling/source_text.h"

namespace warptune::kernel_templates::compiling {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 100;  // The maximum depth of includes. Files that include each other exceed it.

// A range of a text and what replaces it.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

class Inliner {
 public:
  Inliner(const fs::path& source, const std::vector<fs::path>& folders,
          const std::vector<std::string>& toolkit)
      : source_(source), folders_(folders), toolkit_(compiling::canonical_folders(toolkit)) {}

  InlinedSource run(const std::string& code) {
    inlined_.text = text_of(code, source_, 0);
    const std::size_t begin = inlined_.text.find_first_not_of(" \t\n");
    inlined_.text.erase(0, begin == std::string::npos ? inlined_.text.size() : begin);
    const std::size_t end = inlined_.text.find_last_not_of(" \t\n");
    inlined_.text.resize(end == std::string::npos ? 0 : end + 1);
    inlined_.text += '\n';
    return std::move(inlined_);
  }

 private:
  std::string text_of(const std::string& code, const fs::path& file, int depth) {
    if (depth > kMaxDepth) throw base::InputError(fmt::format("{} is included without end", file.string()));
    const adapting::SourceTokens tokens = adapting::read_tokens(code);
    std::vector<Edit> edits = linkage_edits(tokens);
    bool once = false;
    for (const adapting::Directive& directive : tokens.directives) {
      if (directive.name.starts_with("if")) ++conditions_;
      if (directive.name == "endif") --conditions_;
      if (directive.name == "define") add_macro(name_of(directive.rest));
      if (directive.name == "include") {
        edits.push_back({directive.begin, directive.end, included(directive, file, depth)});
      } else if (directive.name == "line" || directive.rest == "nv_hdrstop" ||
                 (directive.name == "pragma" && directive.rest == "once")) {
        once = once || directive.rest == "once";
        edits.push_back({directive.begin, directive.end, ""});
      }
    }
    std::string text = edited(code, std::move(edits));
    if (!once) return text;
    const std::string guard =
        fmt::format("WARPTUNE_ONCE_{}", once_.try_emplace(file, once_.size()).first->second);
    add_macro(guard);
    return fmt::format("#ifndef {0}\n#define {0}\n{1}\n#endif", guard, text);
  }

  // Names with C linkage would be the same in all namespaces.
  static std::vector<Edit> linkage_edits(const adapting::SourceTokens& tokens) {
    std::vector<Edit> edits;
    for (std::size_t i = 0; i + 1 < tokens.tokens.size(); ++i) {
      const adapting::Token& next = tokens.tokens[i + 1];
      if (!tokens.tokens[i].is("extern") || !next.is("\"C\"")) continue;
      const bool is_block = i + 2 < tokens.tokens.size() && tokens.tokens[i + 2].is("{");
      edits.push_back({tokens.tokens[i].begin, next.end(), is_block ? "inline namespace c_linkage" : ""});
    }
    return edits;
  }

  static std::string edited(const std::string& code, std::vector<Edit> edits) {
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string text;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
      text.append(code, at, edit.begin - at).append(edit.text);
      at = edit.end;
    }
    return text.append(code, at);
  }

  static std::string name_of(std::string_view rest) {
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return std::string(rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_part));
  }

  void add_macro(std::string name) {
    if (macros_.insert(name).second) inlined_.macros.push_back(std::move(name));
  }

  std::string included(const adapting::Directive& directive, const fs::path& file, int depth) {
    const Include include = include_of("#include " + std::string(directive.rest));
    if (include.name.empty()) {
      throw base::InputError(fmt::format("{}: cannot export '#include {}', because a macro names the file",
                                         file.string(), directive.rest));
    }
    if (const std::optional<fs::path> own = own_file(include, file))
      return text_of(base::read_file(*own), *own, depth + 1);
    add_header(include);
    return "";
  }

  std::optional<fs::path> own_file(const Include& include, const fs::path& file) const {
    std::vector<fs::path> searched = folders_;
    if (include.quoted) searched.insert(searched.begin(), file.parent_path());
    std::error_code ignored;
    for (const fs::path& folder : searched) {
      const fs::path candidate = folder / include.name;
      if (!fs::is_regular_file(candidate, ignored)) continue;
      const fs::path canonical = fs::canonical(candidate, ignored);
      if (compiling::lies_in(canonical, toolkit_)) return std::nullopt;
      return canonical;
    }
    return std::nullopt;
  }

  void add_header(const Include& include) {
    const std::string name =
        fmt::format("{}{}{}", include.quoted ? '"' : '<', include.name, include.quoted ? '"' : '>');
    const std::string line = conditions_ == 0
                                 ? fmt::format("#include {}", name)
                                 : fmt::format("#if __has_include({0})\n#include {0}\n#endif", name);
    if (headers_.insert(line).second) inlined_.headers.push_back(line);
  }

  const fs::path& source_;
  const std::vector<fs::path>& folders_;
  std::vector<std::string> toolkit_;
  InlinedSource inlined_;
  std::set<std::string> macros_;
  std::set<std::string> headers_;
  std::map<fs::path, std::size_t> once_;  // The number of each file with `#pragma once`.
  int conditions_ = 0;                    // How many conditions of the preprocessor are open.
};

}  // namespace

InlinedSource inlined_source(const std::string& code, const std::filesystem::path& source,
                             const std::vector<std::filesystem::path>& folders,
                             const std::vector<std::string>& toolkit) {
  return Inliner(source, folders, toolkit).run(code);
}

}  // namespace warptune::kernel_templates::compiling
