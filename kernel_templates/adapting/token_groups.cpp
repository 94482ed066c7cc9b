#include "kernel_templates/adapting/token_groups.h"

#include <algorithm>
#include <vector>

namespace warptune::kernel_templates::adapting {

std::size_t TokenGroups::behind_group(std::size_t at) const {
  int depth = 0;
  // Each branch of an `#if` may repeat an opening bracket. So every branch begins with the depth at its
  // `#if`.
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

std::size_t TokenGroups::behind_angles(std::size_t at) const {
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

}  // namespace warptune::kernel_templates::adapting
