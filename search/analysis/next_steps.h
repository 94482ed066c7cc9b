#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/analysis/parameter_effects.h"
#include "search/analysis/timed_rows.h"
#include "search/models/forest.h"

namespace warptune::search::analysis {

/// A parameter whose first or last value is the best, where the time still decreases towards that value. A
/// further value may be faster.
struct BorderTrend {
  std::string parameter;
  model::Value value;   ///< The value of the best configuration, at the border of the list.
  model::Value inside;  ///< The neighbouring value in the list.
  PairedEffect effect;  ///< The effect on the time from `inside` to `value`, over pairs near the best.
  std::optional<double> best_ratio;  ///< The same ratio for the best configuration, if it was measured.
  double model_ratio = 0.0;          ///< The same ratio as the model predicts it; 0 without a model.
  model::Value next;  ///< A value beyond the border, by the last factor or difference of the list.
  std::string limit;  ///< What prevents `next`: a constraint with its reason, or a limit of the GPU if
                      ///< threads or shared memory keep growing. Empty if nothing does.
};

/// A value of a parameter that a constraint prevents. According to the pairs and the model, it would be
/// faster than the value in the best configuration.
struct BlockedValue {
  std::string parameter;
  model::Value value;
  model::Value best_value;
  PairedEffect effect;  ///< The effect on the time from `best_value` to `value`, over pairs near the best.
  std::string limit;    ///< The constraint that prevents it, with its reason.
};

/// A parameter whose values make no difference near the best.
struct IdleParameter {
  std::string parameter;
  model::Value value;  ///< The value of the best configuration. The parameter can be fixed at it.
  double largest_effect =
      0.0;                ///< The largest effect that the confidence intervals allow, as a share of the time.
  std::size_t pairs = 0;  ///< The number of pairs from which this follows.
  std::size_t values = 0;  ///< The number of values. The space would shrink by this factor at most.
};

/// A value with which all configurations failed.
struct FailingValue {
  std::string parameter;
  model::Value value;
  std::size_t rows = 0;
  std::string status;
  std::string reason;  ///< The first line of the most frequent reason.
};

/// A value with which no configuration came near the best.
struct SlowValue {
  std::string parameter;
  model::Value value;
  std::size_t rows = 0;
  double ratio = 0.0;  ///< The best time with this value divided by the best time.
};

/// Suggestions for changing the space: values to add, and values or parameters to remove.
struct NextSteps {
  std::optional<double> roof_share;  ///< The roof's time divided by the best time, if a roof is known.
  std::vector<BorderTrend> borders;
  std::vector<BlockedValue> blocked;
  std::vector<IdleParameter> idle;
  std::vector<FailingValue> failing;
  std::vector<SlowValue> slow;
};

/// Derives suggestions from all rows that have a time. `model` predicts the logarithm of the time and may be
/// null. Without a measured row, all lists are empty.
NextSteps next_steps_of(const TimedRows& rows, const models::Forest* model);

}  // namespace warptune::search::analysis
