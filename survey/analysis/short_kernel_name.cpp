#include "survey/analysis/short_kernel_name.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace warptune::survey::analysis {

namespace {

// The offsets of a pair of brackets, and how many pairs are around it.
struct Brackets {
  std::size_t open = 0;
  std::size_t close = 0;
  std::size_t depth = 0;
};

constexpr std::string_view kDots = "...";
constexpr std::string_view kAnonymous = "(anonymous namespace)";
constexpr std::string_view kOperators[] = {"operator<<", "operator<=", "operator<",  "operator>>",
                                           "operator>=", "operator>",  "operator->", "operator()"};

// The length of a token at a position whose characters do not count as brackets, or 0.
std::size_t token_at(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with(kAnonymous)) return kAnonymous.size();
  for (const std::string_view token : kOperators) {
    if (text.substr(at).starts_with(token)) return token.size();
  }
  return text.substr(at).starts_with("->") ? 2 : 0;
}

// All pairs of `<` `>` and `(` `)` in a name.
std::vector<Brackets> brackets_of(std::string_view name) {
  std::vector<Brackets> pairs;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (const std::size_t skipped = token_at(name, i); skipped > 0) {
      i += skipped - 1;
    } else if (name[i] == '<' || name[i] == '(') {
      open.push_back(i);
    } else if ((name[i] == '>' || name[i] == ')') && !open.empty()) {
      pairs.push_back({open.back(), i, open.size() - 1});
      open.pop_back();
    }
  }
  return pairs;
}

// Leaves out the parameters and the return type.
std::string_view without_signature(std::string_view name) {
  const std::vector<Brackets> pairs = brackets_of(name);
  for (const Brackets& pair : pairs) {
    if (pair.depth == 0 && name[pair.open] == '(' && pair.open > 0) {
      name = name.substr(0, pair.open);
      break;
    }
  }
  std::size_t depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>' || name[i] == ')') ++depth;
    if ((name[i] == '<' || name[i] == '(') && depth > 0) --depth;
    // A space outside of all brackets ends the return type. `operator` may have one, too.
    if (name[i] == ' ' && depth == 0 && !name.substr(0, i).ends_with("operator")) return name.substr(i + 1);
  }
  return name;
}

bool is_of_identifier(char letter) {
  return letter == '_' || (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z');
}

// Leaves out the names of namespaces and classes before `::`, also within arguments. That of a class stays
// before an operator or a lambda.
std::string without_namespaces(std::string_view name) {
  std::string text;
  std::size_t start = 0;  // Where the last identifier of the text begins.
  for (std::size_t i = 0; i < name.size();) {
    const std::string_view rest = name.substr(i);
    if (rest.starts_with(kAnonymous)) {
      i += kAnonymous.size();
      if (name.substr(i).starts_with("::"))
        i += 2;
      else
        text += kAnonymous;
      start = text.size();
    } else if (rest.starts_with("::") && start < text.size() && !rest.starts_with("::operator") &&
               !rest.starts_with("::{")) {
      text.resize(start);
      i += 2;
    } else {
      text += name[i++];
      if (!is_of_identifier(text.back())) start = text.size();
    }
  }
  return text;
}

// For each pair, the smallest pair around it, or the number of pairs if there is none. A pair is behind all
// pairs within it in the list.
std::vector<std::size_t> parents_of(const std::vector<Brackets>& pairs) {
  std::vector<std::size_t> parents(pairs.size(), pairs.size());
  std::vector<std::size_t> without_parent;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (; !without_parent.empty() && pairs[without_parent.back()].open > pairs[i].open;
         without_parent.pop_back())
      parents[without_parent.back()] = i;
    without_parent.push_back(i);
  }
  return parents;
}

// Shortens the contents of pairs of brackets within template arguments, the deepest first and from the right,
// until the name has `most` bytes. Takes O(n log n), whatever the depth: a file may hold any names.
void shorten_arguments(std::string& name, std::size_t most) {
  const std::vector<Brackets> pairs = brackets_of(name);
  const std::vector<std::size_t> parents = parents_of(pairs);
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(pairs[a].depth, pairs[a].open) > std::pair(pairs[b].depth, pairs[b].open);
  });
  std::vector<std::size_t> saved(pairs.size() + 1, 0);  // Within each pair, in bytes.
  std::map<std::size_t, std::size_t> shortened;         // From an opening bracket to the closing one.
  std::size_t size = name.size();
  for (const std::size_t i : order) {
    if (size <= most || pairs[i].depth == 0) break;
    const std::size_t inner = pairs[i].close - pairs[i].open - 1 - saved[i];
    if (inner > kDots.size()) {
      saved[i] += inner - kDots.size();
      size -= inner - kDots.size();
      shortened[pairs[i].open] = pairs[i].close;
    }
    saved[parents[i]] += saved[i];
  }
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    const auto found = shortened.lower_bound(i);
    const std::size_t end = found == shortened.end() ? name.size() : found->first + 1;
    text += name.substr(i, end - i);
    if (found != shortened.end()) text += kDots;
    i = found == shortened.end() ? end : found->second;
  }
  name = std::move(text);
}

// Cuts off the end of the kernel's own arguments.
void cut_arguments(std::string& name, std::size_t most) {
  const std::vector<Brackets> pairs = brackets_of(name);
  const auto outer = std::find_if(pairs.begin(), pairs.end(), [&](const Brackets& pair) {
    return pair.depth == 0 && pair.close - pair.open - 1 > kDots.size();
  });
  if (outer == pairs.end()) return;
  const std::size_t length = outer->close - outer->open - 1;
  const std::size_t excess = name.size() - most + kDots.size();
  const std::size_t kept = length > excess ? length - excess : 0;
  name.replace(outer->open + 1 + kept, length - kept, kDots);
}

}  // namespace

std::string short_kernel_name(std::string_view name, std::size_t most) {
  std::string text(without_signature(name));
  if (text.size() > most) text = without_namespaces(text);
  if (text.size() > most) shorten_arguments(text, most);
  if (text.size() > most) cut_arguments(text, most);
  return text;
}

}  // namespace warptune::survey::analysis
