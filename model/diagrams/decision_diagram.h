#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"

namespace warptune::model::diagrams {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b);
std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b);

/// A position in a parameter's list of values, in units of indices, and the distances of the values from it.
class Target {
 public:
  /// A `position` outside of the list is replaced by the nearer end of the list. A NaN is equally far from
  /// all values. The distance between the ends of the list is `kFullLength`.
  Target(double position, std::size_t value_count);
  std::uint64_t distance(std::uint32_t value) const;
  double position() const { return position_; }

  static constexpr double kFullLength = 0x1p32;

 private:
  double position_ = 0.0;
  double step_ = 0.0;
};

/// The valid choices of one group of parameters, as a reduced ordered decision diagram with counts. Each
/// level chooses one parameter.
///
/// `configuration` below has a value index for each parameter of the whole space. Only the parameters of the
/// group are read and written.
class DecisionDiagram {
 public:
  static constexpr std::uint32_t kEmpty = 0;     ///< No path leads to the end.
  static constexpr std::uint32_t kComplete = 1;  ///< Every level is chosen.

  struct Choice {
    std::uint32_t value;
    std::uint32_t child;
  };

  /// `order[level]` is the parameter that a level chooses.
  explicit DecisionDiagram(std::vector<std::uint32_t> order) : order_(std::move(order)), nodes_(2) {
    nodes_[kComplete].count = 1;
  }

  /// Returns the node with these choices and creates it if it does not exist. The choices are in ascending
  /// order of their values, and no child is empty. It may be called only before `finish`.
  std::uint32_t intern(const std::vector<Choice>& choices);
  /// Ends the construction.
  void finish(std::uint32_t root);

  std::span<const std::uint32_t> order() const { return order_; }
  /// The number of paths, at most 2^64 - 1.
  std::uint64_t count() const { return nodes_[root_].count; }
  /// The number of paths without that limit, as a real number.
  long double weight() const {
    return weights_.empty() ? static_cast<long double>(count()) : weights_[root_];
  }

  /// Writes the choices of the `index`-th path. There must be fewer than 2^64 - 1 paths.
  void unrank(std::uint64_t index, std::uint32_t* configuration) const;
  /// Returns the index of a path, or std::nullopt when the configuration does not follow a path. There must
  /// be fewer than 2^64 - 1 paths.
  std::optional<std::uint64_t> rank(const std::uint32_t* configuration) const;
  bool contains(const std::uint32_t* configuration) const { return follows(root_, 0, configuration); }
  /// Writes a path that is drawn uniformly. With 2^64 - 1 paths or more the probabilities have the precision
  /// of a real number.
  void sample(base::Random& random, std::uint32_t* configuration) const;
  /// Writes the path with the smallest total distance from the targets. `targets` has one target for each
  /// parameter of the space. Among equal distances the smallest rank wins. The diagram must not be empty.
  void nearest(std::span<const Target> targets, std::uint32_t* configuration) const;

  /// Calls `accept` with the values of the parameter at `level` that differ from the configuration's value
  /// and lead to a path. The values are in ascending order. With `adjacent` it tries the values below, the
  /// nearest first, until one is accepted, and then the values above in the same way.
  template <class Accept>
  void for_each_change(const std::uint32_t* configuration, std::size_t level, bool adjacent,
                       const Accept& accept) const;

  /// Writes each path in the order of ranks and calls `visit`, until `visit` returns false. Returns whether
  /// all paths were visited.
  template <class Visit>
  bool for_each(std::uint32_t* configuration, const Visit& visit) const {
    return root_ == kEmpty || visit_below(root_, 0, configuration, visit);
  }

  std::size_t node_count() const { return nodes_.size() - 2; }
  std::size_t memory_bytes() const;

 private:
  struct Edge {
    std::uint64_t before;  // The number of paths through smaller values.
    std::uint32_t value;
    std::uint32_t child;
  };
  struct Node {
    std::uint64_t count = 0;
    std::uint32_t first_edge = 0;
    std::uint32_t edge_count = 0;
  };

  class NearestPath;

  std::span<const Edge> edges_of(std::uint32_t node) const {
    return std::span(edges_).subspan(nodes_[node].first_edge, nodes_[node].edge_count);
  }
  // Returns the edge of a value, or null.
  const Edge* find_edge(std::uint32_t node, std::uint32_t value) const;
  // Whether the configuration's values lead from a node of a level to the end.
  bool follows(std::uint32_t node, std::size_t level, const std::uint32_t* configuration) const;
  bool has_choices(const Node& node, const std::vector<Choice>& choices) const;
  void weigh();

  template <class Visit>
  bool visit_below(std::uint32_t node, std::size_t level, std::uint32_t* configuration,
                   const Visit& visit) const {
    if (level == order_.size()) return visit();
    for (const Edge& edge : edges_of(node)) {
      configuration[order_[level]] = edge.value;
      if (!visit_below(edge.child, level + 1, configuration, visit)) return false;
    }
    return true;
  }

  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<long double> weights_;  // The weight of each node, if counts reach their limit.
  std::uint32_t root_ = kEmpty;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

template <class Accept>
void DecisionDiagram::for_each_change(const std::uint32_t* configuration, std::size_t level, bool adjacent,
                                      const Accept& accept) const {
  std::uint32_t at = root_;
  for (std::size_t l = 0; l < level; ++l) {
    const Edge* edge = find_edge(at, configuration[order_[l]]);
    if (edge == nullptr) return;
    at = edge->child;
  }
  const std::uint32_t own = configuration[order_[level]];
  const std::span<const Edge> edges = edges_of(at);
  // Neighbouring values often lead to the same node, so the last answer is kept.
  std::uint32_t followed = kEmpty;
  bool leads = false;
  const auto try_edge = [&](const Edge& edge) {
    if (edge.child != followed) {
      followed = edge.child;
      leads = follows(edge.child, level + 1, configuration);
    }
    return leads && accept(edge.value);
  };
  if (!adjacent) {
    for (const Edge& edge : edges) {
      if (edge.value != own) try_edge(edge);
    }
    return;
  }
  std::size_t below = 0;
  while (below < edges.size() && edges[below].value < own) ++below;
  std::size_t above = below < edges.size() && edges[below].value == own ? below + 1 : below;
  while (below > 0 && !try_edge(edges[below - 1])) --below;
  while (above < edges.size() && !try_edge(edges[above])) ++above;
}

}  // namespace warptune::model::diagrams
