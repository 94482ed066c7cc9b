#include "kernel_templates/inspection/name_graph.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "kernel_templates/adapting/source_tokens.h"
#include "kernel_templates/adapting/token_groups.h"

namespace warptune::kernel_templates::inspection {

namespace {

using adapting::SourceTokens;
using adapting::TokenGroups;
using adapting::TokenKind;

// Names of the grid's size, and of libraries that read it for a kernel.
constexpr std::array<std::string_view, 9> kGridNames = {
    "gridDim", "this_grid", "grid_group", "cooperative_groups", "cg", "cub", "thrust", "cuda", "asm"};

// The `{` of the definition whose parameters end before `at`; `tokens.size()` if there is no body.
std::size_t body_behind(const SourceTokens& source, const TokenGroups& groups, std::size_t at) {
  while (at < source.tokens.size()) {
    if (groups.is(at, "{")) return at;
    if (groups.is(at, ";") || groups.is(at, "}") || groups.is(at, ")") || groups.is(at, "=")) break;
    at = groups.is(at, "(") || groups.is(at, "[") ? groups.behind_group(at) : at + 1;
  }
  return source.tokens.size();
}

void add_identifiers(const SourceTokens& source, std::size_t begin, std::size_t end,
                     std::unordered_set<std::string>& names) {
  for (std::size_t i = begin; i < end && i < source.tokens.size(); ++i) {
    if (source.tokens[i].kind == TokenKind::kIdentifier) names.emplace(source.tokens[i].text);
  }
}

}  // namespace

void add_definitions(std::string_view text, NameGraph& graph) {
  const SourceTokens source = adapting::read_tokens(text);
  const TokenGroups groups(source);
  for (const adapting::Directive& directive : source.directives) {
    if (directive.name != "define") continue;
    const SourceTokens macro = adapting::read_tokens(directive.rest);
    if (macro.tokens.empty()) continue;
    add_identifiers(macro, 1, macro.tokens.size(), graph[std::string(macro.tokens.front().text)]);
  }
  for (std::size_t i = 0; i + 1 < source.tokens.size(); ++i) {
    const adapting::Token& token = source.tokens[i];
    if (token.kind != TokenKind::kIdentifier) continue;
    const bool is_class = token.is("struct") || token.is("class") || token.is("union");
    if (is_class && source.tokens[i + 1].kind == TokenKind::kIdentifier) {
      const std::size_t open = body_behind(source, groups, i + 2);
      if (open < source.tokens.size())
        add_identifiers(source, open, groups.behind_group(open),
                        graph[std::string(source.tokens[i + 1].text)]);
    }
    if (!groups.is(i + 1, "(")) continue;
    const std::size_t behind = groups.behind_group(i + 1);
    const std::size_t open = body_behind(source, groups, behind);
    if (open == source.tokens.size()) continue;
    std::unordered_set<std::string>& names = graph[std::string(token.text)];
    add_identifiers(source, open, groups.behind_group(open), names);
    for (std::size_t at = i + 1; at < behind; ++at) {  // A default argument may read it.
      if (groups.is(at, "gridDim")) names.emplace("gridDim");
    }
  }
}

bool may_read_grid(const NameGraph& graph, const std::string& function) {
  std::unordered_set<std::string> seen = {function, "operator"};
  std::vector<std::string> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const auto found = graph.find(open.back());
    open.pop_back();
    if (found == graph.end()) continue;
    for (const std::string& name : found->second) {
      if (std::find(kGridNames.begin(), kGridNames.end(), name) != kGridNames.end()) return true;
      if (seen.insert(name).second) open.push_back(name);
    }
  }
  return false;
}

}  // namespace warptune::kernel_templates::inspection
