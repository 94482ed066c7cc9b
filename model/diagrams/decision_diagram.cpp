// A reduced ordered decision diagram (Bryant 1986) of a group of parameters, with the number of its paths.
//
// Each level of the diagram chooses the value of one parameter, and each path to the end is one valid choice.
// A node has an edge for each value that at least one completion allows. `intern` finds an existing node with
// the same edges by a hash, so that equal nodes exist only once. Two nodes therefore differ exactly if their
// sets of completions differ. The diagram is as small as the order of its levels allows.
//
// Each node stores the number of paths below it. Each edge stores the number of paths through the edges
// before it. Unranking finds the i-th path by bisection of these sums at each level. Ranking adds the sums of
// the edges on a path. Both follow Knuth, The Art of Computer Programming 4A, 7.1.4. A count stays at 2^64 -
// 1 once it reaches that value. A diagram with so many paths also has its counts as real numbers (weights),
// and samples are drawn by them.
#include "model/diagrams/decision_diagram.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"

namespace warptune::model::diagrams {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

Target::Target(double position, std::size_t value_count) {
  const auto last = static_cast<double>(value_count - 1);
  if (std::isnan(position) || last == 0.0) return;
  position_ = std::clamp(position, 0.0, last);
  step_ = kFullLength / last;
}

std::uint64_t Target::distance(std::uint32_t value) const {
  return static_cast<std::uint64_t>(std::llround(std::abs(static_cast<double>(value) - position_) * step_));
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
  if (count() == UINT64_MAX) weigh();
}

// Computes the number of paths below each node as a real number. Children come before their parents in
// `nodes_`.
void DecisionDiagram::weigh() {
  weights_.assign(nodes_.size(), 0.0L);
  weights_[kComplete] = 1.0L;
  for (std::uint32_t node = kComplete + 1; node < nodes_.size(); ++node) {
    for (const Edge& edge : edges_of(node)) weights_[node] += weights_[edge.child];
  }
}

const DecisionDiagram::Edge* DecisionDiagram::find_edge(std::uint32_t node, std::uint32_t value) const {
  const std::span<const Edge> edges = edges_of(node);
  const auto edge = std::lower_bound(edges.begin(), edges.end(), value,
                                     [](const Edge& e, std::uint32_t v) { return e.value < v; });
  return edge == edges.end() || edge->value != value ? nullptr : &*edge;
}

bool DecisionDiagram::follows(std::uint32_t node, std::size_t level,
                              const std::uint32_t* configuration) const {
  for (; level < order_.size(); ++level) {
    const Edge* edge = find_edge(node, configuration[order_[level]]);
    if (edge == nullptr) return false;
    node = edge->child;
  }
  return node == kComplete;
}

void DecisionDiagram::unrank(std::uint64_t index, std::uint32_t* configuration) const {
  std::uint32_t at = root_;
  for (const std::uint32_t parameter : order_) {
    const std::span<const Edge> edges = edges_of(at);
    const auto edge = std::upper_bound(edges.begin(), edges.end(), index,
                                       [](std::uint64_t i, const Edge& e) { return i < e.before; }) -
                      1;
    index -= edge->before;
    configuration[parameter] = edge->value;
    at = edge->child;
  }
}

std::optional<std::uint64_t> DecisionDiagram::rank(const std::uint32_t* configuration) const {
  std::uint64_t index = 0;
  std::uint32_t at = root_;
  for (const std::uint32_t parameter : order_) {
    const Edge* edge = find_edge(at, configuration[parameter]);
    if (edge == nullptr) return std::nullopt;
    index += edge->before;
    at = edge->child;
  }
  return index;
}

void DecisionDiagram::sample(base::Random& random, std::uint32_t* configuration) const {
  if (weights_.empty()) {
    unrank(random.below(count()), configuration);
    return;
  }
  std::uint32_t at = root_;
  for (const std::uint32_t parameter : order_) {
    long double place = static_cast<long double>(random.unit()) * weights_[at];
    const std::span<const Edge> edges = edges_of(at);
    std::size_t chosen = 0;
    while (chosen + 1 < edges.size() && place >= weights_[edges[chosen].child])
      place -= weights_[edges[chosen++].child];
    configuration[parameter] = edges[chosen].value;
    at = edges[chosen].child;
  }
}

std::size_t DecisionDiagram::memory_bytes() const {
  constexpr std::size_t kBytesPerHash = 48;  // A node of the hash map and its bucket.
  return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge) +
         weights_.capacity() * sizeof(long double) + by_hash_.size() * kBytesPerHash;
}

}  // namespace warptune::model::diagrams
