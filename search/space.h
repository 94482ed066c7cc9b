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
#include "search/parameter.h"
#include "search/value.h"

namespace warptune::search {

/// One choice for each parameter of a space: indices into `Parameter::values`, in the order of
/// `Space::parameters()`.
using Configuration = std::vector<std::uint32_t>;

enum class Neighbourhood {
  kAdjacent,  ///< One parameter moved to the next valid value up or down its list.
  kHamming    ///< One parameter changed to any other value.
};

/// All configurations that meet the constraints, counted and indexed without listing them.
///
/// Parameters are grouped by the constraints that join them; each group is a memoised decision diagram with
/// counts, so that counting, indexing, sampling and membership cost the depth, not the size. Cheap to copy
/// (shared, immutable).
class Space {
 public:
  /// `constants` are further names that constraints may use (problem sizes, device attributes). Throws
  /// `base::InputError`, with the position, on: no parameters, a parameter without values, with values of
  /// several types or with a repeated value, a repeated name, a constraint naming neither parameter nor
  /// constant (with the nearest names). An empty space is not an error here: `size()` is 0.
  Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints, NamedValues constants = {});
  /// Exactly these configurations, in any order, repeats counted once: a space whose constraints nobody wrote
  /// down. Throws as the constructor does for the parameters, and `base::InputError` for a configuration that
  /// does not fit them.
  static Space listed(std::vector<Parameter> parameters, std::vector<Configuration> configurations);

  const std::vector<Parameter>& parameters() const;
  const std::vector<Constraint>& constraints() const;
  /// The product of the value counts, saturating at 2^64 - 1.
  std::uint64_t cartesian_size() const;
  /// The number of valid configurations, saturating at 2^64 - 1.
  std::uint64_t size() const;

  /// The `index`-th valid configuration, 0 <= index < size().
  Configuration at(std::uint64_t index) const;
  /// Visits the configurations in the order of their indices until `visit` says false: cheaper than `at` for
  /// many.
  void for_each(const std::function<bool(const Configuration&)>& visit) const;
  /// Its index, or nothing when it is not valid.
  std::optional<std::uint64_t> index_of(const Configuration& configuration) const;
  bool contains(const Configuration& configuration) const { return index_of(configuration).has_value(); }
  /// Uniform over the valid configurations; size() must be positive.
  Configuration sample(base::Random& random) const { return at(random.below(size())); }
  /// Valid configurations one change away, parameter by parameter.
  std::vector<Configuration> neighbours(const Configuration& configuration, Neighbourhood kind) const;

  /// The valid configuration nearest to `positions`, one a parameter in units of its value indices, fractions
  /// and places outside the list allowed; one that is not a number prefers nothing. The distance is the sum
  /// over the parameters of |index - position| / (values - 1), compared to 2^-32; of equals the least index.
  /// Exact: dynamic programming over the diagrams. size() must be positive.
  Configuration nearest(std::span<const double> positions) const;

  const Value& value(const Configuration& configuration, std::size_t parameter) const {
    return parameters()[parameter].values[configuration[parameter]];
  }
  /// By names, in the order of `parameters()`.
  NamedValues values_of(const Configuration& configuration) const;
  /// The reverse; the reason when a name is unknown or missing or a value is not in its list. Does not check
  /// constraints.
  base::Result<Configuration> configuration_of(const NamedValues& values) const;
  /// The first constraint that a configuration breaks, with its reason, or nothing when it is valid.
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

}  // namespace warptune::search
