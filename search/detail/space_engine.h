#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/detail/decision_diagram.h"
#include "search/parameter.h"

namespace warptune::search::detail {

/// The valid configurations as a product of groups, one diagram each. The last group's index runs fastest.
class SpaceEngine {
 public:
  SpaceEngine(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
              const NamedValues& constants);
  /// Exactly the configurations given, each of `parameter_count` indices.
  SpaceEngine(std::vector<std::vector<std::uint32_t>> configurations, std::size_t parameter_count);

  std::uint64_t size() const { return size_; }
  std::vector<std::uint32_t> at(std::uint64_t index) const;
  /// By index, until `visit` says false.
  void for_each(const std::function<bool(const std::vector<std::uint32_t>&)>& visit) const;
  std::optional<std::uint64_t> index_of(const std::vector<std::uint32_t>& configuration) const;
  /// Whether a configuration that differs at most in `parameter` from a valid one is valid.
  bool is_valid_around(const std::vector<std::uint32_t>& configuration, std::size_t parameter) const;
  /// See `Space::nearest`.
  std::vector<std::uint32_t> nearest(std::span<const double> positions,
                                     std::span<const Parameter> parameters) const;
  bool is_valid(const std::vector<std::uint32_t>& configuration) const;

  std::size_t memory_bytes() const;
  std::size_t node_count() const;

 private:
  struct Group {
    std::vector<std::uint32_t> order;
    DecisionDiagram diagram;

    std::optional<std::uint64_t> rank(const std::vector<std::uint32_t>& configuration) const;
  };

  using Visitor = std::function<bool(const std::vector<std::uint32_t>&)>;
  bool visit_groups(std::size_t group, std::vector<std::uint32_t>& configuration, const Visitor& visit) const;

  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;  // By parameter.
  std::uint64_t size_ = 0;
};

}  // namespace warptune::search::detail
