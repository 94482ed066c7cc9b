#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "db/store.h"
#include "tuner/knowledge/ranking.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::finals {

/// Passes over the rows of a ranking whose outputs are not what a session demands (`--reproducible`). The
/// references must outlive it.
class DemandedOutputs {
 public:
  /// The plan must have a demand. From now on, no row of the ranking is preferred.
  DemandedOutputs(const SessionPlan& plan, const db::Store& store, knowledge::Ranking& ranking);

  /// Passes over a row unless its stored counters meet the demand. Returns whether it stays.
  bool keep(const db::StoredMeasurement& row);
  /// Passes over the first row of the ranking until that row meets the demand, or none is left.
  void reach_first_met();
  /// Writes into `result` what is known of the best, and the rows that were passed over.
  void report(SessionResult& result);

 private:
  model::outputs::ReproducibilityVerdict judge(const db::StoredMeasurement& row) const;

  const model::outputs::Reproducibility& demanded_;
  const db::Store& store_;
  knowledge::Ranking& ranking_;
  std::vector<PassedOverRow> passed_over_;
};

/// The lines of `tune` about the demand: what is known of the best, and why others were passed over. Empty
/// without a demand.
std::string demanded_text(const SessionPlan& plan, const SessionResult& result);

/// The command that shows the best of a session, with the session's demand.
std::string query_command(const SessionPlan& plan, const std::string& kernel);

/// Why a session that measured something has no best: nothing meets its demand.
std::string nothing_met_text(const model::outputs::Reproducibility& demanded,
                             const std::vector<PassedOverRow>& passed_over);

}  // namespace warptune::tuner::session::finals
