// Finds the path of a decision diagram that is nearest to a target for each parameter.
//
// The distance of a path is a sum over its edges. The nearest path from a node to the end therefore depends
// on the node alone and not on the way to it (dynamic programming, Bellman 1957). Its distance is stored for
// each node. A search from a node has a limit. If the distance from the node to the end is larger than this
// limit, the whole path is longer than the best one found so far. If a node has no path within the limit,
// the limit is stored, too, and the node is searched again only with a higher limit. Edges are tried outwards
// from the target, so that near paths are found first and the limit falls early.
#include <algorithm>

#include "model/diagrams/decision_diagram.h"

namespace warptune::model::diagrams {

/// Finds the nearest path by dynamic programming with a bound: a node is searched only as far as it could
/// improve on the best path found so far.
class DecisionDiagram::NearestPath {
 public:
  NearestPath(const DecisionDiagram& diagram, std::span<const Target> targets)
      : diagram_(diagram), targets_(targets) {}

  void write(std::uint32_t* configuration) {
    std::uint32_t at = diagram_.root_;
    std::uint64_t limit = UINT64_MAX;
    for (std::size_t level = 0; level < diagram_.order_.size(); ++level) {
      const Best best = best_from(at, level, limit);
      const Edge& edge = diagram_.edges_[best.edge];
      configuration[diagram_.order_[level]] = edge.value;
      limit = best.distance - distance(level, best.edge);
      at = edge.child;
    }
  }

 private:
  struct Best {
    std::uint64_t distance = UINT64_MAX;  // UINT64_MAX: no path within the limit.
    std::uint32_t edge = 0;
    std::uint64_t limit = 0;  // The limit of the search that found it.
  };

  // Returns the nearest path from a node to the end if its distance is at most `limit`. A stored path may be
  // returned even if it is longer. Otherwise the distance of the result is UINT64_MAX.
  Best best_from(std::uint32_t node, std::size_t level, std::uint64_t limit) {
    if (level == diagram_.order_.size()) return {0, 0, limit};
    if (const auto known = known_.find(node); known != known_.end()) {
      if (known->second.distance != UINT64_MAX || known->second.limit >= limit) return known->second;
    }
    const Best best = search(node, level, limit);
    known_[node] = best;
    return best;
  }

  // Tries the edges outwards from the target as long as the distance of an edge alone is small enough.
  Best search(std::uint32_t node, std::size_t level, std::uint64_t limit) {
    const std::uint32_t begin = diagram_.nodes_[node].first_edge;
    const std::uint32_t end = begin + diagram_.nodes_[node].edge_count;
    const auto first_above = std::upper_bound(
        diagram_.edges_.begin() + begin, diagram_.edges_.begin() + end,
        targets_[diagram_.order_[level]].position(),
        [](double position, const Edge& e) { return position < static_cast<double>(e.value); });
    auto above = static_cast<std::uint32_t>(first_above - diagram_.edges_.begin());
    std::uint32_t below = above;  // The edges in [below, above) have been tried.
    Best best{UINT64_MAX, 0, limit};
    while (below > begin || above < end) {
      const std::uint64_t down = below > begin ? distance(level, below - 1) : UINT64_MAX;
      const std::uint64_t up = above < end ? distance(level, above) : UINT64_MAX;
      const std::uint64_t step = std::min(down, up);
      if (step > std::min(best.distance, limit)) break;
      const std::uint32_t edge = down <= up ? --below : above++;
      const Best rest =
          best_from(diagram_.edges_[edge].child, level + 1, std::min(best.distance, limit) - step);
      if (rest.distance > std::min(best.distance, limit) - step) continue;
      const std::uint64_t whole = step + rest.distance;
      if (whole < best.distance || edge < best.edge) {
        best.distance = whole;
        best.edge = edge;
      }
    }
    return best;
  }

  std::uint64_t distance(std::size_t level, std::uint32_t edge) const {
    return targets_[diagram_.order_[level]].distance(diagram_.edges_[edge].value);
  }

  const DecisionDiagram& diagram_;
  std::span<const Target> targets_;
  std::unordered_map<std::uint32_t, Best> known_;  // The result for each node.
};

void DecisionDiagram::nearest(std::span<const Target> targets, std::uint32_t* configuration) const {
  NearestPath(*this, targets).write(configuration);
}

}  // namespace warptune::model::diagrams
