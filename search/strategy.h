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

/// The outcome of one evaluation, which `Strategy::tell` reports to a strategy.
struct Observation {
  model::Configuration configuration;
  model::Status status = model::Status::kLaunchFailed;
  /// The value to minimise (ns for time). It is valid only if `status` is `kMeasured` or `kDropped`. For a
  /// dropped configuration it is an estimate from a few launches, and the configuration is not the best.
  double objective = 0.0;

  /// Whether `objective` is valid: the status is `kMeasured` or `kDropped`, and the value is finite.
  bool is_rated() const;
};

struct StrategyOptions {
  std::uint64_t seed = 1;
  /// The configurations that are asked for first, in this order: the default one and the best known ones.
  std::vector<model::Configuration> first;
  std::optional<std::uint64_t> evaluations;  ///< The budget, if it is a number of evaluations.
  /// Observations of the same configurations on another GPU or another problem size. They may mislead. A
  /// strategy follows them only as far as its own evaluations agree with them.
  std::vector<Observation> source{};
};

/// Chooses the configurations to evaluate next. `ask` returns them, and `tell` reports the outcomes. Any
/// number of evaluations may be pending between the two.
///
/// Contract:
///  - `ask` returns each configuration at most once. It never returns one that `tell` reported before: a
///    continued session first reports what the database holds.
///  - `ask` returns every valid configuration before it reports that the space is exhausted.
///  - The choices are deterministic for a seed and an order of calls.
///  - An empty answer means that the space is exhausted. If evaluations are pending, it may also mean that
///    the strategy waits for the next `tell`.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::vector<model::Configuration> ask(std::size_t count) = 0;
  virtual void tell(const Observation& observation) = 0;
  /// The maximum gain that `evaluations` more evaluations are expected to bring, as a share of the best
  /// objective. It is a sum of expected improvements. Returns std::nullopt if the strategy has no model.
  virtual std::optional<double> expected_gain(std::size_t evaluations) const {
    (void)evaluations;
    return std::nullopt;
  }
};

/// A row of the table of strategies.
struct StrategyInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  ///< The publication that describes the method.
  bool learns;              ///< Whether its choices depend on the outcomes that `tell` reports.
  std::unique_ptr<Strategy> (*make)(const model::Space& space, const StrategyOptions& options);
};

/// All strategies, in the order in which help and messages list them.
std::span<const StrategyInfo> strategy_table();

/// The row with this name. Throws `base::InputError`, which suggests similar names, if the name is unknown.
const StrategyInfo& strategy_info(std::string_view name);
/// Creates the strategy with this name. Throws as `strategy_info` does.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const model::Space& space,
                                        const StrategyOptions& options);

}  // namespace warptune::search
