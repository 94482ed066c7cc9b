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

/// The objective's value of a measurement that has run.
std::optional<double> value_of(const model::Objective& objective, const model::Measurement& measurement);

/// A stored row that a plan's objective can use.
struct KnownRow {
  std::int64_t id = 0;
  std::int64_t session_id = 0;
  model::Configuration configuration;
  model::Measurement measurement;
  std::optional<double> value;  ///< The objective's value. No value if the evaluation failed.
};

/// A stored row of the plan's workload, without its samples. Returns std::nullopt if the objective cannot use
/// it, or if the space does not contain its configuration.
std::optional<KnownRow> known_row(const SessionPlan& plan, db::StoredMeasurement stored);

/// The rows of a workload that need not be measured again for the plan's objective, in the order stored. Rows
/// that the objective cannot rate are left out. Rows that were dropped for their time are left out unless the
/// objective is the time.
std::vector<KnownRow> known_rows(const SessionPlan& plan, const db::Store& store,
                                 const model::Workload& workload);

/// The strategy of a session. It is informed of the workload's stored rows, and of what `find_transfer`
/// (transfer.h) finds for other sizes and GPUs. If an earlier session saved its search, the strategy
/// continues exactly from there where possible.
class SessionSearch {
 public:
  /// Throws `base::InputError` for an unknown strategy. `store` is only read, and only by the constructor.
  SessionSearch(const SessionPlan& plan, const db::Store& store);

  /// The rows that need not be evaluated. Empty if the plan asks for a fresh search. A session that measures
  /// does not count replayed and imported rows among them.
  const std::vector<KnownRow>& known() const { return known_; }
  /// Frees the memory of `known`.
  void forget_known() { known_ = {}; }
  /// The workload of another GPU whose rows the strategy was given, if any.
  const std::optional<TransferSource>& source() const { return source_; }
  /// Whether it continues a saved search.
  bool is_restored() const { return restored_; }

  /// The next configurations to evaluate. Those that a saved search had asked for and that were not evaluated
  /// come first. With a purpose (`SearchRequest::purpose`), the default and the named ones are all.
  std::vector<model::Configuration> ask(std::size_t count);
  /// Informs the strategy. A row that the objective cannot rate has no `value`. The strategy treats it as a
  /// failure.
  void tell(const model::Configuration& configuration, model::Status status, std::optional<double> value);
  /// Whether the strategy was informed of the configuration.
  bool was_told(const model::Configuration& configuration) const { return log_->was_told(configuration); }
  /// See `search::Strategy::expected_gain`.
  std::optional<double> expected_gain(std::size_t evaluations) const;
  /// How many of the evaluations that the strategy knows had a value.
  std::uint64_t rated() const { return rated_; }

  /// The text from which another session restores the search. Empty after so many evaluations that restoring
  /// would take too long.
  std::string state() const;

 private:
  bool restore(const SessionPlan& plan, const db::Store& store, const search::StrategyOptions& options);
  bool fits(const search::StrategyLog& log, std::int64_t session_id) const;

  std::unique_ptr<search::StrategyLog> log_;
  std::vector<KnownRow> known_;
  bool searches_;  // Whether the strategy is asked. A session with a purpose evaluates named ones only.
  std::deque<model::Configuration> pending_;  // Asked for by the saved search, or named.
  std::optional<TransferSource> source_;
  std::uint64_t rated_ = 0;
  bool restored_ = false;
};

}  // namespace warptune::tuner::session
