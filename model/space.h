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

/// One choice for each parameter of a space: indices into `Parameter::values`, in the order of
/// `Space::parameters()`.
using Configuration = std::vector<std::uint32_t>;

enum class Neighbourhood {
  kAdjacent,  ///< One parameter moved to the next valid value up or down its list.
  kHamming    ///< One parameter changed to any other value.
};

/// What building a space may cost for each group of parameters that constraints join, before the constraint
/// that joins the most of them is left out of the group's diagram and checked one configuration at a time.
struct SpaceLimits {
  std::uint64_t evaluations = std::uint64_t{1} << 25;         ///< Values tried; about 0.1 us each.
  std::size_t memory_bytes = std::size_t{256} * 1024 * 1024;  ///< Of diagram and state tables while building.
};

/// All configurations that meet the constraints, counted and indexed without listing them.
///
/// Parameters are grouped by the constraints that join them; each group is a memoised decision diagram with
/// counts, so that counting, indexing, sampling and membership cost the depth, not the size. Cheap to copy
/// (shared, immutable). The diagrams are built when the first of these is asked for, by one thread while
/// others wait: a space that is only asked about its parameters, and whether it `contains` something, costs
/// nothing.
///
/// Two kinds of space are larger than that:
/// * Where a diagram would exceed `SpaceLimits`, constraints are left out of it (`left_out`). Then the
///   indices number the configurations that meet the others: `at` may give one that is not valid, sampling is
///   by rejection (still uniform), `estimated_size` is an estimate and `nearest` a heuristic. `contains`,
///   `index_of`, `neighbours` and `for_each` are exact all the same.
/// * Where there are 2^64 - 1 configurations or more, `size` is 2^64 - 1 and indices are only names:
///   `index_of` is a hash of the configuration and `at` draws one by the index. Sampling is uniform all the
///   same.
class Space {
 public:
  /// `constants` are further names that constraints may use (problem sizes, device attributes). Throws
  /// `base::InputError`, with the position, on: no parameters, a parameter without values, with values of
  /// several types, with a repeated value or one that is not finite, a repeated name, a constraint naming
  /// neither parameter nor constant (with the nearest names). An empty space is not an error here: `size()`
  /// is 0.
  Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, NamedValues constants = {},
        const SpaceLimits& limits = {});
  /// Exactly these configurations, in any order, repeats counted once: a space whose constraints nobody wrote
  /// down. Throws as the constructor does for the parameters, and `base::InputError` for a configuration that
  /// does not fit them.
  static Space listed(std::vector<Parameter> parameters, std::vector<Configuration> configurations);

  const std::vector<Parameter>& parameters() const;
  const std::vector<Constraint>& constraints() const;
  /// The product of the value counts, saturating at 2^64 - 1.
  std::uint64_t cartesian_size() const;
  /// The number of indices, saturating at 2^64 - 1: of the valid configurations where `is_exact`, else of
  /// those and others.
  std::uint64_t size() const;
  /// Whether every index below `size` is of a valid configuration: nothing was left out.
  bool is_exact() const { return left_out().empty(); }
  /// The constraints that are checked one configuration at a time, by index.
  const std::vector<std::size_t>& left_out() const;
  /// The number of valid configurations, exact (to the precision of a double) where `is_exact`, else
  /// estimated from 16384 random indices; 0 then means that a million found none.
  double estimated_size() const;

  /// The configuration of an index, 0 <= index < size(). Only where `is_exact` is it known to be valid.
  Configuration at(std::uint64_t index) const;
  /// Visits the valid configurations in the order of their indices until `visit` says false: cheaper than
  /// `at` for many.
  void for_each(const std::function<bool(const Configuration&)>& visit) const;
  /// Its index, or nothing when it is not valid.
  std::optional<std::uint64_t> index_of(const Configuration& configuration) const;
  /// Whether it is valid. Builds no diagram: where none was needed so far, the constraints are asked.
  bool contains(const Configuration& configuration) const;
  /// Uniform over the valid configurations; size() must be positive. Throws `base::WorkError` where
  /// constraints are left out and 2^22 draws find nothing that meets them.
  Configuration sample(base::Random& random) const;
  /// Valid configurations one change away, parameter by parameter.
  std::vector<Configuration> neighbours(const Configuration& configuration, Neighbourhood kind) const;

  /// The valid configuration nearest to `positions`, one a parameter in units of its value indices, fractions
  /// and places outside the list allowed; one that is not a number prefers nothing. The distance is the sum
  /// over the parameters of |index - position| / (values - 1), compared to 2^-32; of equals the least index.
  /// Exact, by dynamic programming over the diagrams, where `is_exact`; else the same for ever wider throws
  /// around the positions, then single changes that lead nearer: a valid one, but perhaps not the nearest; it
  /// throws as `sample` does. size() must be positive.
  Configuration nearest(std::span<const double> positions) const;

  const Value& value(const Configuration& configuration, std::size_t parameter) const {
    return parameters()[parameter].values[configuration[parameter]];
  }
  /// By names, in the order of `parameters()`.
  NamedValues values_of(const Configuration& configuration) const;
  /// The reverse; the reason when a name is unknown or missing or a value is not in its list. Does not check
  /// constraints.
  base::Result<Configuration> configuration_of(const NamedValues& values) const;
  /// The constraints that a configuration breaks, each with its reason; none when it is valid.
  std::vector<std::string> broken_constraints(const Configuration& configuration) const;
  /// The first of them, or nothing when it is valid.
  std::optional<std::string> broken_constraint(const Configuration& configuration) const;
  /// For each constraint, how many of `samples` uniform draws from the Cartesian product break it (first or
  /// not).
  std::vector<std::uint64_t> count_rejections(std::size_t samples, std::uint64_t seed) const;

  /// A hash of parameters, values and constraints: part of a kernel's key.
  std::string hash() const;
  /// Memory of the diagrams in bytes, and their nodes.
  std::size_t memory_bytes() const;
  std::size_t node_count() const;

 private:
  struct Engine;
  explicit Space(std::shared_ptr<const Engine> engine) : engine_(std::move(engine)) {}
  std::shared_ptr<const Engine> engine_;
};

}  // namespace warptune::model
