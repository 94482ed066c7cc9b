#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "model/parameter.h"
#include "model/value.h"

namespace warptune::model {

/// A configuration: one index into `Parameter::values` for each parameter, in the order of
/// `Space::parameters()`.
using Configuration = std::vector<std::uint32_t>;

enum class Neighbourhood {
  kAdjacent,  ///< One parameter takes the next valid value above or below in its list.
  kHamming    ///< One parameter takes any other value.
};

/// The limits for building the diagram of one group of parameters. If a diagram exceeds them, the constraint
/// with the most parameters is left out of it. Such a constraint is checked for one configuration at a time.
struct SpaceLimits {
  std::uint64_t evaluations = std::uint64_t{1} << 25;  ///< Values that are tried; each takes about 0.1 us.
  std::size_t memory_bytes = std::size_t{256} * 1024 * 1024;  ///< For the diagram and its builder.
};

/// All configurations that meet the constraints. They are counted and indexed without being listed.
///
/// The parameters are divided into groups that constraints connect. Each group has a decision diagram with
/// counts. Counting, indexing, sampling and tests of membership therefore cost the depth of the diagrams and
/// not the size of the space. A copy is cheap, because copies share immutable data. The first operation that
/// needs the diagrams builds them in one thread while others wait. Access to the parameters needs no diagram,
/// and `contains` does not build one.
///
/// Two kinds of spaces are too large for that:
/// * If a diagram would exceed `SpaceLimits`, constraints are left out of it (`left_out`). The indices then
///   number the configurations that meet the other constraints, so `at` may return an invalid one. Sampling
///   uses rejection and is still uniform. `estimated_size` is an estimate, and `nearest` is a heuristic.
///   `contains`, `index_of`, `neighbours` and `for_each` stay exact.
/// * With 2^64 - 1 configurations or more, `size` is 2^64 - 1 and an index is not a position. `index_of`
///   returns a hash of the configuration, and `at` draws a configuration with the index as seed. Sampling is
///   still uniform.
class Space {
 public:
  /// `constants` are more names that constraints may use (problem sizes, device attributes). Throws
  /// `base::InputError` with the position in these cases:
  /// * There are no parameters, or a parameter's name is repeated.
  /// * A parameter has no values, values of several types, a repeated value, or a value that is not finite.
  /// * A constraint uses an unknown name. The message lists the nearest names.
  ///
  /// An empty space is not an error: its `size()` is 0.
  Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, NamedValues constants = {},
        const SpaceLimits& limits = {});
  /// Makes the space of exactly these configurations, for spaces whose constraints are not known. They may be
  /// in any order, and repeated ones count once. Throws for the parameters as the constructor does. Throws
  /// `base::InputError` for a configuration that does not fit the parameters.
  static Space listed(std::vector<Parameter> parameters, std::vector<Configuration> configurations);

  const std::vector<Parameter>& parameters() const;
  const std::vector<Constraint>& constraints() const;
  /// The product of the numbers of values, at most 2^64 - 1.
  std::uint64_t cartesian_size() const;
  /// The number of indices, at most 2^64 - 1. If `is_exact` holds, each index has a valid configuration;
  /// otherwise some may be invalid.
  std::uint64_t size() const;
  /// The time that building the diagrams took, in ms. Builds them if they do not exist yet.
  double build_ms() const;
  /// Whether no constraint was left out, so that every index below `size` has a valid configuration.
  bool is_exact() const { return left_out().empty(); }
  /// The indices of the constraints that are checked one configuration at a time.
  const std::vector<std::size_t>& left_out() const;
  /// The number of valid configurations. If `is_exact` holds, it is exact to the precision of a double.
  /// Otherwise it is estimated from 16384 random indices; 0 then means that a million draws found none.
  double estimated_size() const;

  /// The configuration at an index, 0 <= index < size(). It is certain to be valid only if `is_exact` holds.
  Configuration at(std::uint64_t index) const;
  /// Visits the valid configurations in the order of their indices until `visit` returns false. For many
  /// configurations this is cheaper than `at`.
  void for_each(const std::function<bool(const Configuration&)>& visit) const;
  /// Returns the index of a configuration, or std::nullopt when it is not valid.
  std::optional<std::uint64_t> index_of(const Configuration& configuration) const;
  /// Whether a configuration is valid. It builds no diagram: if none exists yet, it evaluates the
  /// constraints.
  bool contains(const Configuration& configuration) const;
  /// Draws uniformly from the valid configurations; size() must be positive. If constraints are left out and
  /// 2^22 draws do not meet them, it throws `base::WorkError`.
  Configuration sample(base::Random& random) const;
  /// The valid configurations that differ from `configuration` in exactly one parameter, in the order of the
  /// parameters.
  std::vector<Configuration> neighbours(const Configuration& configuration, Neighbourhood kind) const;

  /// Finds the valid configuration that is nearest to `positions`; size() must be positive. `positions` has
  /// one number for each parameter in units of value indices. It may have fractions and lie outside of the
  /// list. A NaN expresses no preference. The distance is the sum of |index - position| / (values - 1) over
  /// the parameters, with a resolution of 2^-32. Among equal distances the smallest index wins.
  ///
  /// If `is_exact` holds, dynamic programming over the diagrams finds the exact answer. Otherwise the same
  /// search is repeated for positions at random around the given ones, at increasing distances. Single
  /// changes then bring the best result nearer. It is valid but may not be the nearest. This case throws as
  /// `sample` does.
  Configuration nearest(std::span<const double> positions) const;

  const Value& value(const Configuration& configuration, std::size_t parameter) const {
    return parameters()[parameter].values[configuration[parameter]];
  }
  /// The configuration by names, in the order of `parameters()`.
  NamedValues values_of(const Configuration& configuration) const;
  /// The reverse of `values_of`. Returns the reason when a name is unknown or missing, or a value is not in
  /// its list. It does not check the constraints.
  base::Result<Configuration> configuration_of(const NamedValues& values) const;
  /// The constraints that a configuration breaks, each with its reason. The list is empty when the
  /// configuration is valid.
  std::vector<std::string> broken_constraints(const Configuration& configuration) const;
  /// The first broken constraint, or std::nullopt when the configuration is valid.
  std::optional<std::string> broken_constraint(const Configuration& configuration) const;
  /// Draws `samples` configurations uniformly from the Cartesian product and counts for each constraint how
  /// many break it. A draw may break several constraints.
  std::vector<std::uint64_t> count_rejections(std::size_t samples, std::uint64_t seed) const;

  /// A hash of the parameters, values and constraints. It is part of a kernel's key.
  std::string hash() const;
  /// The memory of the diagrams in bytes, and the number of their nodes.
  std::size_t memory_bytes() const;
  std::size_t node_count() const;

 private:
  struct Engine;
  explicit Space(std::shared_ptr<const Engine> engine) : engine_(std::move(engine)) {}
  std::shared_ptr<const Engine> engine_;
};

}  // namespace warptune::model
