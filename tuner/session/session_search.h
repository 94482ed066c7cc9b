#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "search/strategy_log.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// What an objective says of a measurement; NaN for nothing.
double value_of(const model::Objective& objective, const model::Measurement& measurement);

/// A stored row that a plan's objective can use.
struct KnownRow {
  std::int64_t session_id = 0;
  model::Configuration configuration;
  model::Measurement measurement;
  double value = 0.0;  ///< What the objective says of it; NaN where it failed.
};

/// The rows of a workload, in the order stored, that need not be measured again for the plan's objective: not
/// those it cannot rate, nor what was dropped for its time where something else is the objective.
std::vector<KnownRow> known_rows(const SessionPlan& plan, const db::Store& store,
                                 const model::Workload& workload);

/// A session's strategy with all it knows: the workload's rows, those of other sizes and GPUs, and the search
/// of an earlier session, which it goes on with exactly where that can be restored.
class SessionSearch {
 public:
  /// Throws `base::InputError` for an unknown strategy. `store` is only read, and only here.
  SessionSearch(const SessionPlan& plan, const db::Store& store);

  /// The rows that need not be evaluated; none where the plan is fresh.
  const std::vector<KnownRow>& known() const { return known_; }
  void forget_known() { known_ = {}; }
  const std::optional<TransferSource>& source() const { return source_; }
  /// Whether it goes on with a saved search.
  bool is_restored() const { return restored_; }

  /// What the saved search had asked for and was not evaluated comes first.
  std::vector<model::Configuration> ask(std::size_t count);
  /// NaN for what the objective cannot rate, which says no more than a failure.
  void tell(const model::Configuration& configuration, model::Status status, double value);
  std::optional<double> expected_gain(std::size_t evaluations) const;
  /// Of what it was told, how many had a value.
  std::uint64_t rated() const { return rated_; }

  /// What to save; empty for nothing: past so many evaluations restoring takes longer than it is worth.
  std::string state() const;

 private:
  bool restore(const SessionPlan& plan, const db::Store& store, const search::StrategyOptions& options);
  bool fits(const search::StrategyLog& log, std::int64_t session_id) const;

  std::unique_ptr<search::StrategyLog> log_;
  std::vector<KnownRow> known_;
  std::deque<model::Configuration> pending_;  // Of the saved search.
  std::optional<TransferSource> source_;
  std::uint64_t rated_ = 0;
  bool restored_ = false;
};

}  // namespace warptune::tuner::session
