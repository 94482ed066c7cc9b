// Configurations timed in the same rounds are compared pairwise: the interval of the median of their
// differences inverts the sign test (`are_tied` in ties.h).
#include "tuner/session/finals/choice.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "db/preference.h"
#include "tuner/session/finals/finals.h"
#include "tuner/session/finals/ties.h"

namespace warptune::tuner::session::finals {

model::Measurement with_counters(const db::StoredMeasurement& row, const db::Store& store) {
  model::Measurement measurement = row.measurement;
  measurement.counters = store.counters(row.id);
  return measurement;
}

namespace {

// A value is near the best if it is at most 5 % of the best's magnitude above it. Objectives may be negative.
bool is_near_best(const knowledge::Ranking& ranking, const knowledge::RatedRow& row) {
  const double best = ranking.rows().front().value;
  return row.value <= best + (kFinalistRatio - 1.0) * std::abs(best);
}

}  // namespace

std::vector<db::StoredMeasurement> best_few(const knowledge::Ranking& ranking, std::size_t count) {
  std::vector<db::StoredMeasurement> best;
  for (const knowledge::RatedRow& row : ranking.rows()) {
    if (best.size() == count || ranking.is_below_best(row.stored) || !is_near_best(ranking, row)) break;
    best.push_back(row.stored);
  }
  return best;
}

std::vector<model::NamedValues> configurations_of(const std::vector<db::StoredMeasurement>& rows) {
  std::vector<model::NamedValues> configurations;
  configurations.reserve(rows.size());
  for (const db::StoredMeasurement& row : rows) configurations.push_back(row.measurement.configuration);
  return configurations;
}

std::vector<db::StoredMeasurement> finalists_of(const knowledge::Ranking& ranking, bool even_if_slower,
                                                const std::vector<model::NamedValues>& always) {
  std::vector<db::StoredMeasurement> finalists;
  std::set<std::string> always_keys;
  for (const model::NamedValues& one : always) always_keys.insert(model::key_of(one));
  const auto is_always = [&](const model::Measurement& row) {
    return ranking.is_default(row) || always_keys.contains(model::key_of(row.configuration));
  };
  for (const knowledge::RatedRow& row : ranking.rows()) {
    const bool near = !ranking.is_below_best(row.stored) && (even_if_slower || is_near_best(ranking, row));
    if ((near && finalists.size() < kMaxFinalists) || is_always(row.stored.measurement))
      finalists.push_back(row.stored);
  }
  // People compare with the default, so it is timed like the others even if it was dropped.
  if (ranking.dropped_default()) finalists.push_back(*ranking.dropped_default());
  return finalists;
}

std::vector<model::NamedValues> choose(const SessionPlan& plan, db::Store& store, knowledge::Ranking& ranking,
                                       const std::vector<Samples>& passes) {
  const knowledge::RatedRow& fastest = ranking.rows().front();
  const auto pass = std::find_if(passes.rbegin(), passes.rend(), [&](const Samples& samples) {
    return samples.count(fastest.stored.id) != 0;
  });
  if (pass == passes.rend()) return {};
  const std::vector<double>& fastest_ns = pass->at(fastest.stored.id);
  std::vector<const db::StoredMeasurement*> tied;
  const db::StoredMeasurement* choice = &fastest.stored;
  for (const knowledge::RatedRow& row : ranking.rows()) {
    const auto samples = pass->find(row.stored.id);
    if (samples == pass->end()) continue;
    if (row.stored.id != fastest.stored.id && !are_tied(samples->second, fastest_ns)) continue;
    tied.push_back(&row.stored);
    const bool near = !plan.reproducible && row.value <= db::kPreferredRatio * fastest.value;
    if (near && is_simpler(row.stored.measurement, choice->measurement, plan.default_configuration))
      choice = &row.stored;
  }
  std::vector<model::NamedValues> others;
  for (const db::StoredMeasurement* row : tied) {
    if (row != choice) others.push_back(row->measurement.configuration);
  }
  if (plan.reproducible) return others;
  const std::int64_t chosen = choice->id;
  store.set_preferred(chosen);
  ranking.set_preferred(chosen);
  return others;
}

}  // namespace warptune::tuner::session::finals
