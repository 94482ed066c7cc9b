#include "search/detail/decision_diagram.h"

#include <algorithm>
#include <cmath>

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

DecisionDiagram::Target::Target(double position, std::size_t value_count) {
  const auto last = static_cast<double>(value_count - 1);
  if (std::isnan(position) || last == 0.0) return;
  position_ = std::clamp(position, 0.0, last);
  step_ = kFullLength / last;
}

std::uint64_t DecisionDiagram::Target::distance(std::uint32_t value) const {
  return static_cast<std::uint64_t>(std::abs(static_cast<double>(value) - position_) * step_ + 0.5);
}

// From the leaves up, each node once, but only those that a nearer choice does not make needless.
class DecisionDiagram::NearestPath {
 public:
  NearestPath(const DecisionDiagram& diagram, const Target* targets) : diagram_(diagram), targets_(targets) {}

  void write(std::uint32_t* choices) {
    std::uint32_t at = diagram_.root_;
    for (std::size_t level = 0; level < diagram_.depth_; ++level) {
      const Edge& edge = diagram_.edges_[best_from(at, level).edge];
      choices[level] = edge.value;
      at = edge.child;
    }
  }

 private:
  struct Best {
    std::uint64_t distance = UINT64_MAX;
    std::uint32_t edge = 0;
  };

  Best best_from(std::uint32_t node, std::size_t level) {
    if (level == diagram_.depth_) return {0, 0};
    if (const auto known = known_.find(node); known != known_.end()) return known->second;
    const std::uint32_t begin = diagram_.nodes_[node].first_edge;
    const std::uint32_t end = begin + diagram_.nodes_[node].edge_count;
    const auto first_above = std::upper_bound(
        diagram_.edges_.begin() + begin, diagram_.edges_.begin() + end, targets_[level].position(),
        [](double position, const Edge& e) { return position < static_cast<double>(e.value); });
    auto above = static_cast<std::uint32_t>(first_above - diagram_.edges_.begin());
    std::uint32_t below = above;  // The edges in [below, above) are seen.
    Best best;
    while (below > begin || above < end) {
      const std::uint64_t down = below > begin ? distance(level, below - 1) : UINT64_MAX;
      const std::uint64_t up = above < end ? distance(level, above) : UINT64_MAX;
      if (std::min(down, up) > best.distance) break;
      const std::uint32_t edge = down <= up ? --below : above++;
      const std::uint64_t whole =
          std::min(down, up) + best_from(diagram_.edges_[edge].child, level + 1).distance;
      if (whole < best.distance || (whole == best.distance && edge < best.edge)) best = {whole, edge};
    }
    known_.emplace(node, best);
    return best;
  }

  std::uint64_t distance(std::size_t level, std::uint32_t edge) const {
    return targets_[level].distance(diagram_.edges_[edge].value);
  }

  const DecisionDiagram& diagram_;
  const Target* targets_;
  std::unordered_map<std::uint32_t, Best> known_;
};

void DecisionDiagram::nearest(const Target* targets, std::uint32_t* choices) const {
  NearestPath(*this, targets).write(choices);
}

std::size_t DecisionDiagram::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge);
}

}  // namespace warptune::search::detail
