#include "tuner/session/finals/kept_counters.h"

#include "model/own_metrics.h"
#include "profiling/verification/finalist_errors.h"

namespace warptune::tuner::session::finals {

model::Counters largest_errors(const db::StoredMeasurement& row, const model::Counters& found,
                               const db::Store& store) {
  model::Counters errors = found;
  const model::Counters before = store.counters(row.id);
  for (auto& [name, error] : errors) {
    if (const auto earlier = before.find(name); earlier != before.end())
      profiling::verification::keep_largest_errors(errors, {*earlier});
  }
  return errors;
}

model::Counters all_launches(const db::StoredMeasurement& row, const model::Counters& found,
                             const db::Store& store) {
  model::Counters bits = found;
  const model::Counters before = store.counters(row.id);
  for (const char* name : {model::own_metric::kComparedLaunches, model::own_metric::kDifferingLaunches}) {
    const auto earlier = before.find(name);
    if (const auto now = bits.find(name); now != bits.end() && earlier != before.end())
      now->second += earlier->second;
  }
  return bits;
}

}  // namespace warptune::tuner::session::finals
