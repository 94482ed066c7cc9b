// Which rows the final rounds time, and which of them is the best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "db/store.h"
#include "tuner/knowledge/ranking.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::finals {

/// The times of one pass of rounds in ns, by row. The lists have the same order of rounds.
using Samples = std::map<std::int64_t, std::vector<double>>;

/// The measurement of a row with its stored counters, which a ranking does not have.
model::Measurement with_counters(const db::StoredMeasurement& row, const db::Store& store);

/// The rows to time in the next pass: the best few, and the default. With `even_if_slower`, the best few are
/// not only those near the best one. The rows of `always` that are ranked are among them. The ranking must
/// not be empty.
std::vector<db::StoredMeasurement> finalists_of(const knowledge::Ranking& ranking,
                                                bool even_if_slower = false,
                                                const std::vector<model::NamedValues>& always = {});

/// The best rows, at most `count`, whose values are near that of the first. The ranking must not be empty.
std::vector<db::StoredMeasurement> best_few(const knowledge::Ranking& ranking, std::size_t count);

/// The configurations of rows, in order.
std::vector<model::NamedValues> configurations_of(const std::vector<db::StoredMeasurement>& rows);

/// Chooses among the rows of the last pass that timed the fastest row. Those that tie with it are compared:
/// the choice is the simplest of them that is at most `db::kPreferredRatio` times as slow (`is_simpler`). It
/// is stored as preferred. If the session demands reproducible outputs, the choice is the fastest, and no row
/// is stored as preferred. Returns the others that tie, fastest first.
std::vector<model::NamedValues> choose(const SessionPlan& plan, db::Store& store, knowledge::Ranking& ranking,
                                       const std::vector<Samples>& passes);

}  // namespace warptune::tuner::session::finals
