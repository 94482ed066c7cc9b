#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warptune::search::detail {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b);
std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b);

/// The valid choices of one group of parameters: a reduced ordered decision diagram with counts. Level by
/// level one parameter is chosen; `choices` vectors hold the index of its value a level.
class DecisionDiagram {
 public:
  static constexpr std::uint32_t kEmpty = 0;     ///< Leads nowhere.
  static constexpr std::uint32_t kComplete = 1;  ///< Every level is chosen.

  struct Choice {
    std::uint32_t value;
    std::uint32_t child;
  };

  /// A place in a level's list of values, in index units, and what a step away from it costs.
  class Target {
   public:
    /// `position` is taken to the nearer end of the list when outside; one that is not a number is equally
    /// far from all values. The whole length of the list costs `kFullLength`.
    Target(double position, std::size_t value_count);
    std::uint64_t distance(std::uint32_t value) const;
    double position() const { return position_; }

    static constexpr double kFullLength = 0x1p32;

   private:
    double position_ = 0.0;
    double step_ = 0.0;
  };

  explicit DecisionDiagram(std::size_t depth) : depth_(depth), nodes_(2) { nodes_[kComplete].count = 1; }

  /// The node with these choices (ascending by value, no empty children), made once. While building.
  std::uint32_t intern(const std::vector<Choice>& choices);
  /// Ends building.
  void finish(std::uint32_t root);

  std::uint64_t count() const { return nodes_[root_].count; }
  /// Writes the choices of the `index`-th path.
  void unrank(std::uint64_t index, std::uint32_t* choices) const;
  std::optional<std::uint64_t> rank(const std::uint32_t* choices) const;
  /// Writes the choices of the path of least total distance, `targets[level]` being where each level would
  /// like to be; of equals the one of the least rank. The diagram must not be empty.
  void nearest(const Target* targets, std::uint32_t* choices) const;

  /// Writes each path in the order of ranks, level `l` to `choices[slots[l]]`, and calls `visit` on it until
  /// that says false; whether it never did.
  template <class Visit>
  bool for_each(const std::uint32_t* slots, std::uint32_t* choices, const Visit& visit) const {
    return root_ == kEmpty || visit_below(root_, 0, slots, choices, visit);
  }

  std::size_t node_count() const { return nodes_.size() - 2; }
  std::size_t memory_bytes() const;

 private:
  struct Edge {
    std::uint64_t before;  // Paths through lesser values.
    std::uint32_t value;
    std::uint32_t child;
  };
  struct Node {
    std::uint64_t count = 0;
    std::uint32_t first_edge = 0;
    std::uint32_t edge_count = 0;
  };

  class NearestPath;

  template <class Visit>
  bool visit_below(std::uint32_t node, std::size_t level, const std::uint32_t* slots, std::uint32_t* choices,
                   const Visit& visit) const {
    if (level == depth_) return visit();
    for (std::uint32_t i = 0; i < nodes_[node].edge_count; ++i) {
      const Edge& edge = edges_[nodes_[node].first_edge + i];
      choices[slots[level]] = edge.value;
      if (!visit_below(edge.child, level + 1, slots, choices, visit)) return false;
    }
    return true;
  }

  bool has_choices(const Node& node, const std::vector<Choice>& choices) const;

  std::size_t depth_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::uint32_t root_ = kEmpty;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace warptune::search::detail
