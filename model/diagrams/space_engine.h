#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "model/diagrams/constraint_check.h"
#include "model/diagrams/decision_diagram.h"
#include "model/parameter.h"
#include "model/space.h"

namespace warptune::model::diagrams {

/// The valid configurations as a product of groups with one diagram each. The index of the last group varies
/// fastest. A condition whose diagram would be too large is left out, and its constraint is checked for one
/// configuration at a time. The product then also contains invalid configurations. See `Space`.
class SpaceEngine {
 public:
  /// `checks` belong to the constraints. The engine keeps references to them.
  SpaceEngine(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
              const NamedValues& constants, std::span<const ConstraintCheck> checks,
              const SpaceLimits& limits);
  /// The space of exactly these configurations. Each has a value index for each parameter.
  SpaceEngine(std::span<const Parameter> parameters, std::vector<Configuration> configurations);

  std::uint64_t size() const { return size_; }
  /// The indices of the constraints that the diagrams leave out.
  const std::vector<std::size_t>& left_out() const { return left_out_; }
  /// The share of indices with a valid configuration: 1, or an estimate.
  double valid_share() const { return valid_share_; }
  double estimated_size() const;

  Configuration at(std::uint64_t index) const;
  Configuration sample(base::Random& random) const;
  /// Visits the configurations by increasing index until `visit` returns false.
  void for_each(const std::function<bool(const Configuration&)>& visit) const;
  std::optional<std::uint64_t> index_of(const Configuration& configuration) const;
  std::vector<Configuration> neighbours(const Configuration& configuration, Neighbourhood kind) const;
  Configuration nearest(std::span<const double> positions) const;

  std::size_t memory_bytes() const;
  std::size_t node_count() const;

 private:
  using Visitor = std::function<bool(const Configuration&)>;

  // The group of a parameter, and its level there.
  struct Place {
    std::size_t group = 0;
    std::size_t level = 0;
  };

  void add_group(DecisionDiagram diagram);
  void estimate_share();
  bool has_indices() const { return size_ != UINT64_MAX; }
  bool meets_left_out(const Configuration& configuration) const;
  void draw(base::Random& random, Configuration& configuration) const;
  bool visit_groups(std::size_t group, Configuration& configuration, const Visitor& visit) const;
  std::vector<Target> targets_at(std::span<const double> positions) const;
  Configuration nearest_in_diagrams(std::span<const double> positions) const;
  Configuration nearest_by_sampling(std::span<const double> positions) const;
  Configuration moved_towards(const std::vector<Target>& targets, Configuration configuration) const;

  std::span<const Parameter> parameters_;
  std::span<const ConstraintCheck> checks_;
  std::vector<DecisionDiagram> groups_;
  std::vector<Place> places_;  // For each parameter.
  std::vector<std::size_t> left_out_;
  std::uint64_t size_ = 0;
  double valid_share_ = 1.0;
};

}  // namespace warptune::model::diagrams
