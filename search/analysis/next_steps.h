#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/analysis/parameter_effects.h"
#include "search/analysis/timed_rows.h"
#include "search/models/forest.h"

namespace warptune::search::analysis {

/// The best has the first or last value of a parameter, and the time still falls towards it.
struct BorderTrend {
  std::string parameter;
  model::Value value;                ///< At the border.
  model::Value inside;               ///< The next within the list.
  PairedEffect effect;               ///< On the time from `inside` to `value`, over pairs near the best.
  std::optional<double> best_ratio;  ///< The same for the best itself; nothing where not measured.
  double model_ratio = 0.0;          ///< And by the model; 0 without one.
  model::Value next;                 ///< What would follow: the list's last factor or difference again.
  std::string limit;  ///< What the best would break with `next`: a constraint with its reason, or, where
                      ///< threads or shared memory grow as they did from `inside`, the GPU's; empty: none.
};

/// A value that pairs and the model say is faster than the best's, but that the best cannot take.
struct BlockedValue {
  std::string parameter;
  model::Value value;
  model::Value best_value;
  PairedEffect effect;  ///< On the time from `best_value` to `value`, over pairs near the best.
  std::string limit;    ///< The constraint that stops it, with its reason.
};

/// No value of a parameter matters near the best.
struct IdleParameter {
  std::string parameter;
  model::Value value;           ///< Of the best: what it could be fixed at.
  double largest_effect = 0.0;  ///< The furthest that any change's interval lies from no effect, as a share
                                ///< of the time.
  std::size_t pairs = 0;        ///< Over which that is known.
  std::size_t values = 0;       ///< By how many the space would shrink.
};

/// All configurations with a value failed.
struct FailingValue {
  std::string parameter;
  model::Value value;
  std::size_t rows = 0;
  std::string status;
  std::string reason;  ///< The commonest, its first line.
};

/// No configuration with a value came near the best.
struct SlowValue {
  std::string parameter;
  model::Value value;
  std::size_t rows = 0;
  double ratio = 0.0;  ///< The best time with it over the best of all.
};

/// What to try next: beyond the space, and what could be left out of it.
struct NextSteps {
  std::optional<double> of_roof;  ///< The roof's time over the best's, if a roof is known.
  std::vector<BorderTrend> borders;
  std::vector<BlockedValue> blocked;
  std::vector<IdleParameter> idle;
  std::vector<FailingValue> failing;
  std::vector<SlowValue> slow;
};

/// `rows`: all with a time; `model`, of log time, may be null. Nothing where nothing was measured.
NextSteps next_steps_of(const TimedRows& rows, const models::Forest* model);

}  // namespace warptune::search::analysis
