#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurement.h"
#include "model/space.h"

namespace warptune::search {

/// What a strategy learns of one evaluation.
struct Observation {
  model::Configuration configuration;
  model::Status status = model::Status::kLaunchFailed;
  double objective =
      0.0;  ///< To be minimised (ns for time); only where `status` is `kMeasured`, or `kDropped`:
            ///< then an estimate from a few launches of what is no candidate for the best.

  /// Whether the objective says something.
  bool is_rated() const;
};

struct StrategyOptions {
  std::uint64_t seed = 1;
  std::vector<model::Configuration>
      first;  ///< To be asked first, in order: the default, what the database knows.
  std::optional<std::uint64_t> evaluations;  ///< The budget, where it is a count.
  /// What is known of the same configurations elsewhere: another GPU, another size. May mislead: a strategy
  /// follows it as far as its own evaluations agree.
  std::vector<Observation> source{};
};

/// Picks which configurations to evaluate next: ask and tell, with any number pending.
///
/// Contract: `ask` never returns a configuration twice, nor one that was told before it was asked for (a
/// continued session tells what the database holds first); uses the whole space before it returns nothing; is
/// deterministic given the seed and the order of calls. An empty answer means the space is exhausted, or
/// (with evaluations pending) nothing until the next `tell`.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::vector<model::Configuration> ask(std::size_t count) = 0;
  virtual void tell(const Observation& observation) = 0;
  /// By what share of the best objective `evaluations` more are expected to improve on it at most: a sum of
  /// expected improvements. Nothing where the strategy has no model to say so.
  virtual std::optional<double> expected_gain(std::size_t evaluations) const {
    (void)evaluations;
    return std::nullopt;
  }
};

/// One row of the table of strategies.
struct StrategyInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  ///< Where the method comes from.
  bool learns;              ///< What it asks for depends on what it was told.
  std::unique_ptr<Strategy> (*make)(const model::Space& space, const StrategyOptions& options);
};

/// All strategies, in the order they are listed to people.
std::span<const StrategyInfo> strategy_table();

/// The row of that name. Throws `base::InputError` with the nearest names when there is none.
const StrategyInfo& strategy_info(std::string_view name);
/// Makes the strategy of that name; throws as `strategy_info`.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const model::Space& space,
                                        const StrategyOptions& options);

}  // namespace warptune::search
