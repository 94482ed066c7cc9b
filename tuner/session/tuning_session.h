#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "db/store.h"
#include "model/objective.h"
#include "model/outputs/reproducibility.h"
#include "model/space.h"
#include "profiling/verification/plausibility.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/budget.h"
#include "tuner/session/session_events.h"

namespace warptune::tuner::session {

/// How a space is searched, as the caller asked for it.
struct SearchRequest {
  Budget budget;
  std::string strategy = "auto";
  std::uint64_t seed = 1;
  /// Only if the objective is the time, slow configurations are dropped early and equally fast ones tie. With
  /// any other objective, all are measured completely and then ranked.
  model::Objective objective{};
  /// What the outputs of the best must be. The session drops no configuration early then, and the final
  /// rounds pass over those that do not meet it. Needs an objective of times and resources alone.
  std::optional<model::outputs::Reproducibility> reproducible{};
  Goal goal{};           ///< A share of the roof requires the time as objective.
  bool fresh = false;    ///< Measures again what the database holds.
  bool transfer = true;  ///< Begins with what is known for other sizes and GPUs.
  /// Evaluated right after the default, in this order. Those that the space does not contain are left out.
  std::vector<model::NamedValues> named{};
  /// With `reproducible`: the outputs of so many of the first of `named` are compared in the final rounds,
  /// even if other configurations are faster.
  std::size_t compared_named = 0;
  /// If it is not empty, the session evaluates nothing except the default and `named`, and ranks and changes
  /// only its own rows. It is stored with this purpose in place of a strategy's name, and saves no search.
  /// Needs `fresh`.
  std::string purpose{};
  /// Says of which larger task the session is a part. It is stored at the end of the budget's text.
  std::string part_of{};
};

constexpr int kFinalRounds = 15;

/// What a session does: the request, resolved for one workload.
struct SessionPlan : SearchRequest {
  model::Workload workload;
  model::Space space;
  model::NamedValues default_configuration{};  ///< May be empty.
  model::Work work{};
  bool replayed = false;            ///< The evaluator answers from a recording.
  int final_rounds = kFinalRounds;  ///< Interleaved rounds among the best; 0: there are none.
  /// `work` with the position of `[work]` in the definition. Without a position, `[work]` is not compared
  /// with the measurements.
  profiling::verification::DeclaredWork declared{};
  /// What the definition recommends for the workload; may be empty. It is evaluated after the default and the
  /// named configurations, unless the session has a purpose.
  model::NamedValues recommended{};

  /// The source of the rows that the session stores. It neither knows nor ranks rows of a source that ranks
  /// below this one.
  model::RowSource source() const {
    return replayed ? model::RowSource::kReplayed : model::RowSource::kMeasured;
  }
};

/// Another workload whose measurements a strategy knew before it began.
struct TransferSource {
  model::Workload workload;
  std::size_t rows = 0;  ///< The number of its rows that the plan's strategy can use.
};

/// What the strategy's model expects further evaluations to gain.
struct ExpectedGain {
  std::uint64_t evaluations = 0;
  /// How long they take at the session's rate. No value if the budget counts evaluations.
  std::optional<double> seconds;
  double share = 0.0;  ///< The maximum expected gain, as a share of the best.
};

/// A row that is right, but whose outputs are not what the session demands, or are not known to be.
struct PassedOverRow {
  model::NamedValues configuration;
  model::outputs::ReproducibilityVerdict verdict;
};

/// A row that looked measured but cannot be true.
struct ImplausibleRow {
  model::NamedValues configuration;
  std::string reason;
};

struct SessionResult {
  std::int64_t session_id = 0;  ///< 0: it was cancelled before it began, and nothing is stored.
  SessionProgress progress;
  std::optional<model::Measurement> best;  ///< The best of the workload, earlier sessions included.
  std::optional<double> best_value;        ///< The objective's value of the best.
  /// The default's row: measured, or dropped if there were no final rounds.
  std::optional<model::Measurement> default_measurement;
  /// Finalists as fast as the best, fastest first, without the best itself.
  std::vector<model::NamedValues> tied;
  std::uint64_t unrated = 0;  ///< Measured rows that the objective cannot rate.
  /// The failures of this session: the first line of each reason, and how often it occurred.
  std::map<std::string, std::uint64_t> reasons;
  std::vector<ImplausibleRow> implausible;  ///< Rows of the workload, earlier sessions included.
  /// A contradiction between `[work]` and a measurement: that of the best, otherwise the first reported one.
  std::optional<profiling::verification::WorkContradiction> work_doubt;
  std::vector<FinalistImprecise> imprecise;  ///< Found by the final rounds.
  /// What is known of the best's outputs, if the session demands something of them.
  std::optional<model::outputs::ReproducibilityVerdict> reproducible;
  std::vector<PassedOverRow> passed_over;  ///< Those that the final rounds compared come first.
  std::optional<TransferSource> source;    ///< Another workload whose rows the strategy knew.
  /// As expected at the end. No value if the strategy has no model, or if the space is exhausted.
  std::optional<ExpectedGain> expected_gain;
  bool continued = false;     ///< The session continued the search of an earlier one.
  bool goal_reached = false;  ///< The session ended because it reached its goal.
  bool exhausted = false;     ///< No configuration of the space is left.
  bool interrupted = false;
};

/// Runs a session: asks the strategy, evaluates, stores every measurement before it asks for more, and times
/// the best again. A cancellation ends it early, and everything finished is kept. Throws `base::InputError`
/// for an unknown strategy and for a share of an unknown roof; then no session is stored.
SessionResult run_session(const SessionPlan& plan, evaluation::Evaluator& evaluator, db::Store& store,
                          SessionListener& listener, const base::Cancellation& cancellation);

}  // namespace warptune::tuner::session
