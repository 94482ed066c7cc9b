#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "db/claims/claims.h"
#include "tuner/session/session_search.h"

namespace warptune::tuner::session::loop {

/// The search of a session that shares the work with others of the same workload, source and objective, by
/// claims in the database (`db::claims::Claims`). A configuration that another session evaluates is not
/// evaluated here: the strategy gets its row when the other has stored it. If the other gives it up, it is
/// evaluated here. Rows that others store for further configurations reach the strategy, too, as long as
/// others are there. A session that measures everything again (`SearchRequest::fresh`) shares nothing, and a
/// session that is alone makes the choices that it would make without this class.
class SharedSearch {
 public:
  /// Throws as `SessionSearch` does. `plan` and `store` are borrowed.
  SharedSearch(const SessionPlan& plan, db::Store& store);

  SessionSearch& search() { return search_; }
  const SessionSearch& search() const { return search_; }

  /// The next configurations to evaluate. Empty: none is left, or `is_waiting`.
  std::vector<model::Configuration> ask(std::size_t count);
  /// An evaluation of this session has ended (`SessionSearch::tell`). If it has a row, this is stored, or in
  /// the batch that is open.
  void tell(const model::Configuration& configuration, model::Status status, std::optional<double> value);
  /// The evaluator has dropped the configuration. Others may evaluate it.
  void give_up(const model::Configuration& configuration);
  /// Whether evaluations of others can give this session more to do.
  bool is_waiting() const;
  /// The session is stored, and calls `take_rows` at least every few hundred milliseconds from now on.
  void begin(std::int64_t session_id);
  /// `take_rows` may not be called for long, until `resume` is called.
  void pause();
  void resume();
  /// Rows of other sessions that were stored since the last call, and of which the strategy is now informed.
  std::vector<KnownRow> take_rows();
  /// The session evaluates no more. Others may evaluate what it has claimed and not evaluated.
  void leave();

 private:
  std::vector<model::NamedValues> running() const;
  void share(std::vector<model::Configuration> asked, std::vector<model::Configuration>& granted);
  void take_stored();
  bool take_ended(const model::Configuration& configuration);
  void take_left();
  void take(KnownRow row);
  std::unique_ptr<db::claims::Claims> make_claims();

  const SessionPlan& plan_;
  db::Store& store_;
  std::unique_ptr<db::claims::Claims>
      claims_;  // Made before `search_` reads the stored rows. Null: it shares nothing.
  SessionSearch search_;
  std::set<model::Configuration> running_;     // Evaluated by this session.
  std::set<model::Configuration> elsewhere_;   // Asked for by the strategy, and claimed by others.
  std::set<model::Configuration> uncounted_;   // Evaluated by others. Their counters may follow.
  std::deque<model::Configuration> given_up_;  // Given up by others, to be evaluated here.
  bool has_left_some_ = false;                 // `elsewhere_` has grown since its claims were looked at.
  bool has_taken_ = false;
  std::vector<KnownRow> taken_;
};

}  // namespace warptune::tuner::session::loop
