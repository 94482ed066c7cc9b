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

  explicit DecisionDiagram(std::size_t depth) : depth_(depth), nodes_(2) { nodes_[kComplete].count = 1; }

  /// The node with these choices (ascending by value, no empty children), made once. While building.
  std::uint32_t intern(const std::vector<Choice>& choices);
  /// Ends building.
  void finish(std::uint32_t root);

  std::uint64_t count() const { return nodes_[root_].count; }
  /// Writes the choices of the `index`-th path.
  void unrank(std::uint64_t index, std::uint32_t* choices) const;
  std::optional<std::uint64_t> rank(const std::uint32_t* choices) const;

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

  bool has_choices(const Node& node, const std::vector<Choice>& choices) const;

  std::size_t depth_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::uint32_t root_ = kEmpty;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace warptune::search::detail
