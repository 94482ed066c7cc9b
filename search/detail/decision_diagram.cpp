#include "search/detail/decision_diagram.h"

#include <algorithm>

#include "base/error.h"
#include "base/random.h"

namespace warptune::search::detail {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

bool DecisionDiagram::has_choices(const Node& node, const std::vector<Choice>& choices) const {
  if (node.edge_count != choices.size()) return false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Edge& edge = edges_[node.first_edge + i];
    if (edge.value != choices[i].value || edge.child != choices[i].child) return false;
  }
  return true;
}

std::uint32_t DecisionDiagram::intern(const std::vector<Choice>& choices) {
  if (choices.empty()) return kEmpty;
  std::uint64_t hash = 0;
  for (const Choice& choice : choices) {
    hash = base::split_mix64(hash ^ (std::uint64_t{choice.value} << 32 | choice.child));
  }
  const auto range = by_hash_.equal_range(hash);
  for (auto it = range.first; it != range.second; ++it) {
    if (has_choices(nodes_[it->second], choices)) return it->second;
  }
  if (edges_.size() + choices.size() > UINT32_MAX) {
    throw base::InputError("the space is too large: its constraints join too many parameters at once");
  }
  Node node;
  node.first_edge = static_cast<std::uint32_t>(edges_.size());
  node.edge_count = static_cast<std::uint32_t>(choices.size());
  for (const Choice& choice : choices) {
    edges_.push_back({node.count, choice.value, choice.child});
    node.count = saturating_add(node.count, nodes_[choice.child].count);
  }
  nodes_.push_back(node);
  const auto index = static_cast<std::uint32_t>(nodes_.size() - 1);
  by_hash_.emplace(hash, index);
  return index;
}

void DecisionDiagram::finish(std::uint32_t root) {
  root_ = root;
  by_hash_ = {};
  nodes_.shrink_to_fit();
  edges_.shrink_to_fit();
}

void DecisionDiagram::unrank(std::uint64_t index, std::uint32_t* choices) const {
  std::uint32_t at = root_;
  for (std::size_t level = 0; level < depth_; ++level) {
    const Edge* first = &edges_[nodes_[at].first_edge];
    const Edge* edge = std::upper_bound(first, first + nodes_[at].edge_count, index,
                                        [](std::uint64_t i, const Edge& e) { return i < e.before; }) -
                       1;
    index -= edge->before;
    choices[level] = edge->value;
    at = edge->child;
  }
}

std::optional<std::uint64_t> DecisionDiagram::rank(const std::uint32_t* choices) const {
  std::uint64_t index = 0;
  std::uint32_t at = root_;
  for (std::size_t level = 0; level < depth_; ++level) {
    if (nodes_[at].edge_count == 0) return std::nullopt;
    const Edge* first = &edges_[nodes_[at].first_edge];
    const Edge* last = first + nodes_[at].edge_count;
    const Edge* edge = std::lower_bound(first, last, choices[level],
                                        [](const Edge& e, std::uint32_t v) { return e.value < v; });
    if (edge == last || edge->value != choices[level]) return std::nullopt;
    index = saturating_add(index, edge->before);
    at = edge->child;
  }
  return index;
}

std::size_t DecisionDiagram::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge);
}

}  // namespace warptune::search::detail
