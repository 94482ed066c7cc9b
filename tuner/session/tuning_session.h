#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "db/store.h"
#include "model/objective.h"
#include "model/space.h"
#include "profiling/verification/plausibility.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/budget.h"
#include "tuner/session/session_events.h"

namespace warptune::tuner::session {

/// How a space is searched, as it was asked for.
struct SearchRequest {
  Budget budget;
  std::string strategy = "auto";
  std::uint64_t seed = 1;
  model::Objective objective{};  ///< Incumbents, drops and ties are of the time; others rank measured rows.
  Goal goal{};                   ///< A share of the roof requires the time as objective.
  bool fresh = false;            ///< Measure again what the database holds.
  bool transfer = true;          ///< Begin with what is known of other sizes and GPUs.
};

constexpr int kFinalRounds = 15;

/// What a session is to do: the request, resolved for one workload.
struct SessionPlan : SearchRequest {
  model::Workload workload;
  model::Space space;
  model::NamedValues default_configuration{};  ///< May be empty.
  model::Work work{};
  bool replayed = false;            ///< The evaluator answers from a recording.
  int final_rounds = kFinalRounds;  ///< Interleaved rounds among the best; 0: none.
  profiling::verification::DeclaredWork
      declared{};  ///< `work` with where it is declared; without, `[work]` is not doubted.
};

/// Whose measurements a strategy was told of before it began.
struct TransferSource {
  model::Workload workload;
  std::size_t rows = 0;  ///< Those the objective rates, of configurations of the space.
};

/// What more evaluations may gain, by the model of the strategy.
struct ExpectedGain {
  std::uint64_t evaluations = 0;
  std::optional<double> seconds;  ///< That they take at the session's rate; nothing where they are counted.
  double share = 0.0;             ///< Of the best, at most.
};

/// A row that looked measured but cannot be.
struct ImplausibleRow {
  model::NamedValues configuration;
  std::string reason;
};

struct SessionResult {
  std::int64_t session_id = 0;  ///< 0: cancelled before it began, and nothing is stored.
  SessionProgress progress;
  std::optional<model::Measurement> best;  ///< Of the workload, earlier sessions included.
  std::optional<double> best_value;        ///< What the objective says of it.
  std::optional<model::Measurement>
      default_measurement;               ///< Measured, or (where no finals could be) dropped.
  std::vector<model::NamedValues> tied;  ///< Finalists as fast as the best, without it, fastest first.
  std::uint64_t unrated = 0;             ///< Measured, but the objective cannot rate them.
  std::map<std::string, std::uint64_t> reasons;  ///< First lines of the failures of this session, counted.
  std::vector<ImplausibleRow> implausible;       ///< Of the workload, earlier sessions included.
  std::optional<profiling::verification::WorkDoubt>
      work_doubt;                             ///< By the best where it says one, else the first told.
  std::vector<FinalistImprecise> imprecise;   ///< Of the finals.
  std::optional<TransferSource> source;       ///< What was known of elsewhere.
  std::optional<ExpectedGain> expected_gain;  ///< At the end; nothing without a model or an open space.
  bool continued = false;                     ///< Went on with the search of an earlier session.
  bool goal_reached = false;                  ///< Ended for `SessionPlan::goal`.
  bool exhausted = false;                     ///< Nothing of the space is left.
  bool interrupted = false;
};

/// Runs a session: asks the strategy, evaluates, stores every measurement before the next is handed out,
/// re-times the best. A cancellation ends it early; everything finished is kept. Throws `base::InputError`,
/// with no session stored, for an unknown strategy and for a share of a roof that is not known.
SessionResult run_session(const SessionPlan& plan, evaluation::Evaluator& evaluator, db::Store& store,
                          SessionListener& listener, const base::Cancellation& cancellation);

}  // namespace warptune::tuner::session
