// Measures stored winners again, and judges what has changed.
//
// A recheck is a tuning session that evaluates nothing except the named configurations and ranks only its own
// rows (`SearchRequest::purpose`). So its final rounds compare the winner with its rivals under the same
// conditions, and its confirmation launches the best on new inputs.
//
// A look-up ranks the newest row of each configuration. If the GPU is slower than before, old times of other
// rows are now shorter than the new time of the best one, although nobody knows whether they still hold.
// Further sessions therefore measure the fastest of these too, together with the winner and the best.
#include "tuner/rechecking/recheck_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "db/preference.h"
#include "model/outputs/reproducibility.h"
#include "model/own_metrics.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::rechecking {

namespace {

constexpr int kMaxSessions = 3;        // For each workload.
constexpr std::size_t kMaxAhead = 16;  // Rows that one further session measures again.

// The rechecking of one workload.
class RecheckedWorkload {
 public:
  RecheckedWorkload(const RecheckRequest& request, PlannedRecheck planned) : request_(request) {
    result_.planned = std::move(planned);
  }

  // False if it was cancelled.
  bool run(session::SessionListener& listener, const base::Cancellation& cancellation) {
    std::vector<model::NamedValues> named;
    for (const RecheckedRow& row : result_.planned.rows) named.push_back(row.configuration);
    for (int i = 0; i < kMaxSessions && !named.empty(); ++i) {
      const session::TuningOutcome outcome =
          session::Tuning(tuning_request(std::move(named))).run(0, listener, cancellation);
      if (outcome.result.interrupted) return false;
      named = take(outcome);
    }
    return true;
  }

  RecheckResult finish() {
    judge_outputs();
    result_.judgement = judge(result_.planned.rows, request_.limit_share);
    reject_other_bits();
    return std::move(result_);
  }

  RecheckResult finish_failed(const std::string& reason) {
    judge_outputs();
    result_.judgement = judge(result_.planned.rows, request_.limit_share);
    result_.judgement.verdict = Verdict::kFails;
    result_.judgement.reason = reason;
    return std::move(result_);
  }

 private:
  // Says of each new row whether it meets the demand, and compares the bits of the winner with those before.
  void judge_outputs() {
    std::vector<RecheckedRow>& rows = result_.planned.rows;
    const RecheckedRow& winner = rows.front();
    const model::Measurement& before = result_.planned.winner.best;
    if (winner.after && has_bits(before) && has_bits(*winner.after) &&
        model::outputs::had_same_inputs(before, *winner.after))
      result_.has_other_bits = model::outputs::give_other_bits(before, *winner.after);
    if (!request_.reproducible) return;
    const model::Measurement* usual = nullptr;
    for (const RecheckedRow& row : rows) {
      if (row.after && model::key_of(row.configuration) == model::key_of(usual_)) usual = &*row.after;
    }
    for (RecheckedRow& row : rows)
      if (row.after) row.outputs = model::outputs::judge(*request_.reproducible, *row.after, usual);
  }

  // Whether all launches of a row are known to give the bits of its digest. Otherwise two digests may differ
  // although nothing has changed.
  static bool has_bits(const model::Measurement& row) {
    static const auto kRuns = model::outputs::Reproducibility::parse("runs");
    return row.counters.contains(model::own_metric::kOutputDigest) &&
           model::outputs::judge(kRuns, row, nullptr).is_met();
  }

  // A new compiler may change the bits of the default as well as those of the winner.
  void reject_other_bits() {
    using Demand = model::outputs::Reproducibility::Demand;
    const bool wants_bits = request_.reproducible && request_.reproducible->demand == Demand::kBits;
    if (!wants_bits || !result_.has_other_bits.value_or(false)) return;
    if (result_.judgement.verdict == Verdict::kFails) return;
    result_.judgement.verdict = Verdict::kFails;
    result_.judgement.reason = "it gives other bits than before";
    result_.judgement.better.reset();
  }

  session::TuningRequest tuning_request(std::vector<model::NamedValues> named) const {
    const model::Workload& workload = result_.planned.winner.workload;
    session::TuningRequest request;
    request.kernel = result_.planned.kernel;
    request.sizes = workload.problem;
    request.permissions = request_.permissions;
    request.devices = {false, {request_.device}};
    request.search.budget = session::Budget::parse("all");
    request.search.strategy = "random";
    request.search.fresh = true;
    request.search.transfer = false;
    request.search.named = std::move(named);
    request.search.purpose = kPurpose;
    request.search.compared_named = 1;  // The winner is named first, and its outputs must be known.
    request.search.reproducible = request_.reproducible;
    request.measuring = request_.measuring;
    request.measuring.cache = workload.cache;
    request.measuring.count = false;
    request.measuring.thorough = true;  // Each row needs a time, not only a lower bound.
    request.compile_workers = request_.compile_workers;
    request.timeout = request_.timeout;
    request.database = request_.database;
    request.measure_only = true;
    return request;
  }

  // Takes the rows of a session. Returns the configurations of a further session, if one is needed.
  std::vector<model::NamedValues> take(const session::TuningOutcome& outcome) {
    const db::Store store = knowledge::open_database(request_.database);
    result_.sessions.push_back(outcome.result.session_id);
    if (!result_.environment) result_.environment = outcome.environment;
    usual_ = outcome.plan.default_configuration;
    for (db::StoredMeasurement& row : store.session_measurements(outcome.result.session_id)) {
      own_.insert(row.id);
      row_of(row.measurement.configuration).after = std::move(row.measurement);
    }
    reject_failed_cases(outcome);
    return named_ahead(store, outcome);
  }

  RecheckedRow& row_of(const model::NamedValues& configuration) {
    std::vector<RecheckedRow>& rows = result_.planned.rows;
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RecheckedRow& row) {
      return model::key_of(row.configuration) == model::key_of(configuration);
    });
    if (found != rows.end()) return *found;
    rows.push_back({configuration, {}, {}});
    return rows.back();
  }

  // The cases of `[check]` are launched with the best only.
  void reject_failed_cases(const session::TuningOutcome& outcome) {
    if (outcome.failed_cases == 0 || !outcome.result.best) return;
    model::Measurement& best = *row_of(outcome.result.best->configuration).after;
    best.status = model::Status::kWrongResult;
    best.reason = session::failed_cases_error(outcome.failed_cases).message();
  }

  // Whether a row of an earlier session could be the answer of a look-up with the demand.
  bool meets_demand(const db::Store& store, const session::TuningOutcome& outcome,
                    const model::Measurement& row) const {
    const std::optional<db::StoredMeasurement> usual =
        usual_.empty() ? std::nullopt : store.latest_measurement(outcome.plan.workload, usual_);
    return model::outputs::judge(*request_.reproducible, row, usual ? &usual->measurement : nullptr).is_met();
  }

  // Rows of earlier sessions whose old times are ahead of the best one now, with the winner and the best.
  std::vector<model::NamedValues> named_ahead(const db::Store& store, const session::TuningOutcome& outcome) {
    result_.unproven = 0;
    if (!outcome.result.best_value) return {};
    const double best_ns = *outcome.result.best_value;
    const model::Objective time;
    std::vector<RecheckedRow> ahead;
    for (const db::RankedId& ranked : store.ranked_ids(outcome.plan.workload, time)) {
      const bool is_ahead =
          ranked.source == model::RowSource::kMeasured && ranked.value * db::kPreferredRatio < best_ns;
      if (!is_ahead) break;
      if (own_.count(ranked.id) != 0) continue;
      std::optional<db::StoredMeasurement> row;
      if (request_.reproducible || ahead.size() < kMaxAhead) row = store.ranked_row(ranked, time);
      if (request_.reproducible && !(row && meets_demand(store, outcome, row->measurement))) continue;
      ++result_.unproven;
      if (row && ahead.size() < kMaxAhead)
        ahead.push_back({row->measurement.configuration, row->measurement.time, {}});
    }
    if (ahead.empty() || result_.sessions.size() == kMaxSessions) return {};
    std::vector<model::NamedValues> named = {result_.planned.rows.front().configuration,
                                             outcome.result.best->configuration};
    for (RecheckedRow& row : ahead) {
      named.push_back(row.configuration);
      result_.planned.rows.push_back(std::move(row));
    }
    return named;
  }

  const RecheckRequest& request_;
  RecheckResult result_;
  std::set<std::int64_t> own_;  // The rows of this recheck.
  model::NamedValues usual_{};  // The default configuration.
};

}  // namespace

RecheckOutcome recheck(const RecheckRequest& request, const RecheckPlan& plan,
                       session::SessionListener& listener, const ResultListener& on_result,
                       const base::Cancellation& cancellation) {
  RecheckOutcome outcome;
  for (const PlannedRecheck& planned : plan.workloads) {
    RecheckedWorkload workload(request, planned);
    const auto measured = [&]() -> std::optional<RecheckResult> {
      try {
        if (!workload.run(listener, cancellation)) return std::nullopt;
        return workload.finish();
      } catch (const base::InputError& error) {  // A check of the definition fails.
        return workload.finish_failed(error.message());
      } catch (const base::WorkError& error) {
        return workload.finish_failed(error.message());
      }
    }();
    if (!measured) {
      outcome.interrupted = true;
      return outcome;
    }
    on_result(*measured);
    outcome.results.push_back(*measured);
  }
  return outcome;
}

}  // namespace warptune::tuner::rechecking
