// Runs the final rounds: a search ends with a fair comparison of its best configurations.
//
// A search ranks hundreds of medians that were taken at different times. The first of them is partly selected
// by luck (the winner's curse), and the clock of the GPU drifts. Therefore the finalists, which are at most 5
// % slower than the first, and the default are timed again in interleaved rounds. Every round launches each
// of them, so that drift affects all equally. If a finalist becomes slower and a configuration that was not
// timed becomes the first, another pass of rounds follows. There are at most kMaxPasses passes.
//
// If the objective needs energy, it is the energy that is measured again (energy_rounds.h). Each measurement
// takes half a second, so there are fewer finalists, rounds and passes.
//
// The choice among configurations that were timed in the same rounds is in choice.h. If the session demands
// reproducible outputs, each pass also says which of its finalists do not have them. These are passed over.
//
// The winner is then launched on inputs that it has not seen, and each launch is verified. A wrong result or
// an implausible time rejects the row. The row is also rejected if a launch hangs, or if a worker ends each
// time that it launches the row. The loop continues with the rest of the ranking. Every rejection removes a
// row, so that the loop ends.
#include "tuner/session/finals/finals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "db/confirmation.h"
#include "db/preference.h"
#include "model/own_metrics.h"
#include "profiling/verification/finalist_errors.h"
#include "tuner/session/finals/choice.h"
#include "tuner/session/finals/energy_rounds.h"
#include "tuner/session/finals/kept_counters.h"
#include "tuner/session/finals/verification.h"

namespace warptune::tuner::session::finals {

namespace {

constexpr int kMaxPasses = 8;
// Many configurations may have to be passed over before one gives what is demanded.
constexpr int kMaxDemandedPasses = 32;
constexpr int kMaxEnergyPasses = 3;  // A pass of four configurations takes 6 to 12 s.

// Removes a row from the ranking because it turned out to be wrong. It stays in the database, so that people
// can look at it.
void reject(const db::StoredMeasurement& row, const model::Rejection& rejection, db::Store& store,
            SessionListener& listener, knowledge::Ranking& ranking) {
  store.reject(row.id, rejection);
  ranking.remove(row.id);
  listener.on_event(SessionWarning{
      fmt::format("{} is not ranked: {}", model::to_text(row.measurement.configuration), rejection.reason)});
}

// Rejects a row because of what its final rounds or its confirmation found. This holds for its code.
void reject_code(const db::StoredMeasurement& row, const model::Rejection& rejection, db::Store& store,
                 SessionListener& listener, knowledge::Ranking& ranking) {
  store.add_counters(row.id, db::rejection_mark());
  reject(row, rejection, store, listener, ranking);
}

// Checks a row with everything that is known now, its counters included. Rejects an implausible row and
// returns false.
bool keep_if_plausible(db::StoredMeasurement row,
                       const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                       SessionListener& listener, knowledge::Ranking& ranking) {
  row.measurement.counters = store.counters(row.id);
  const auto verdict = plausibility.verdict(row.measurement);
  if (verdict) reject(row, *verdict, store, listener, ranking);
  return !verdict;
}

// The final rounds of one session.
class Finals {
 public:
  Finals(const SessionPlan& plan, evaluation::Evaluator& evaluator,
         const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
         SessionListener& listener, const base::Cancellation& cancellation, knowledge::Ranking& ranking,
         DemandedOutputs* demanded)
      : plan_(plan),
        evaluator_(evaluator),
        plausibility_(plausibility),
        store_(store),
        listener_(listener),
        cancellation_(cancellation),
        ranking_(ranking),
        demanded_(demanded) {}

  // Whether the first of the ranking has been timed in a pass.
  bool first_is_timed() const {
    return ranking_.rows().empty() || timed_.count(ranking_.rows().front().stored.id) != 0;
  }

  // Times the finalists in one pass of rounds. Returns whether this timed or rejected any row.
  bool time() {
    std::vector<model::NamedValues> always;
    if (demanded_ != nullptr) {
      const std::size_t count = std::min(plan_.compared_named, plan_.named.size());
      always.assign(plan_.named.begin(), plan_.named.begin() + static_cast<std::ptrdiff_t>(count));
    }
    const std::vector<db::StoredMeasurement> finalists = finalists_of(ranking_, demanded_ != nullptr, always);
    listener_.on_event(FinalsBegan{finalists.size(), plan_.final_rounds});
    const std::size_t ranked = ranking_.rows().size();
    passes_.push_back(time_again(finalists));
    for (const auto& [id, ignored] : passes_.back()) timed_.insert(id);
    for (const db::StoredMeasurement& row : finalists) {
      if (demanded_ != nullptr && passes_.back().contains(row.id)) demanded_->keep(row);
    }
    return !passes_.back().empty() || ranking_.rows().size() < ranked;
  }

  // Measures the energy of the best few in one pass of rounds. Returns whether this measured or rejected any
  // row.
  bool measure_energy() {
    const std::vector<db::StoredMeasurement> finalists = best_few(ranking_, kMaxEnergyFinalists);
    const int rounds = std::min(plan_.final_rounds, kEnergyRounds);
    listener_.on_event(FinalsBegan{finalists.size(), rounds});
    const std::vector<EnergyFinalist> measured =
        measure_energy_again(evaluator_, configurations_of(finalists), rounds, plan_.seed, cancellation_);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      timed_.insert(finalists[i].id);
      take(finalists[i], measured[i]);
    }
    return !measured.empty();
  }

  // Chooses by the time. Returns the rows that tie with the choice.
  std::vector<model::NamedValues> choose() {
    if (!plan_.objective.is_time() || ranking_.rows().empty()) return {};
    return finals::choose(plan_, store_, ranking_, passes_);
  }

  // Whether launches on new inputs confirm the best. If they do not, it is rejected, unless they were
  // cancelled. An evaluator without a GPU confirms nothing: it replays rows, and the best stays the best
  // among them.
  bool confirm() {
    const knowledge::RatedRow* best = ranking_.best();
    if (best == nullptr) return true;
    const db::StoredMeasurement row = best->stored;
    tell_times({row});
    const std::optional<profiling::timing::Confirmation> confirmation =
        evaluator_.confirm(row.measurement.configuration);
    if (!confirmation) return !cancellation_.is_cancelled();
    if (!confirmation->has_passed()) reject_code(row, confirmation->verdict, store_, listener_, ranking_);
    model::Counters counters = counters_of(*confirmation);
    const model::Counters errors = largest_errors(row, confirmation->errors, store_);
    counters.insert(errors.begin(), errors.end());
    counters.merge(with_earlier_confirmation(store_.counters(row.id)));
    if (was_launched(*confirmation)) store_.add_counters(row.id, counters);
    listener_.on_event(BestConfirmed{row.id, *confirmation});
    model::Measurement verified = row.measurement;
    verified.counters = counters;
    const std::optional<Verification> verification = verification_of(verified);
    if (verification && verification->nondeterministic() && !confirmation->is_nondeterministic) {
      listener_.on_event(SessionWarning{fmt::format("{} is {}", model::to_text(row.measurement.configuration),
                                                    nondeterminism_text(*verification))});
    }
    if (demanded_ != nullptr && confirmation->has_passed()) return demanded_->keep(row);
    return confirmation->has_passed();
  }

  // No more rows can be timed: passes over rows until the first is known to meet the demand.
  void reach_first_met() {
    if (demanded_ != nullptr) demanded_->reach_first_met();
  }

  std::vector<FinalistImprecise> take_imprecise() { return std::move(imprecise_); }

 private:
  // Times one pass of rounds. Empty when the evaluator cannot time the finalists.
  Samples time_again(const std::vector<db::StoredMeasurement>& finalists) {
    tell_times(finalists);
    const std::vector<profiling::timing::FinalistTiming> timings =
        evaluator_.time_interleaved(configurations_of(finalists), plan_.final_rounds);
    Samples taken;
    if (timings.size() != finalists.size()) return taken;
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      if (take(finalists[i], timings[i])) taken[finalists[i].id] = timings[i].samples_ns;
    }
    compare_errors(finalists, timings);
    return taken;
  }

  // Gives the evaluator the finalists' times, from which it derives the time limits of their launches.
  void tell_times(const std::vector<db::StoredMeasurement>& finalists) {
    double best_ns = 0.0;
    double slowest_ns = 0.0;
    for (const db::StoredMeasurement& row : finalists) {
      const double ns = model::median_ns_of(row.measurement).value_or(0.0);
      if (!std::isfinite(ns) || ns <= 0.0) continue;
      best_ns = best_ns > 0.0 ? std::min(best_ns, ns) : ns;
      slowest_ns = std::max(slowest_ns, ns);
    }
    evaluator_.set_finalist_times(best_ns, slowest_ns);
  }

  // Stores the new time. Returns whether the row has one and is still plausible.
  bool take(db::StoredMeasurement row, const profiling::timing::FinalistTiming& timing) {
    model::Counters found = largest_errors(row, timing.errors, store_);
    found.merge(all_launches(row, timing.bits, store_));
    if (!found.empty()) store_.add_counters(row.id, found);
    if (timing.fault) reject_code(row, *timing.fault, store_, listener_, ranking_);
    const std::optional<model::TimeSummary> time = model::summarise(timing.samples_ns);
    if (timing.fault || !time) return false;
    return set_time(std::move(row), *time, timing.samples_ns);
  }

  // Stores the new energy and the new time.
  void take(const db::StoredMeasurement& row, const EnergyFinalist& measured) {
    if (measured.fault) return reject_code(row, *measured.fault, store_, listener_, ranking_);
    if (!measured.energy.empty()) {
      store_.add_counters(row.id, measured.energy);
      ranking_.set_counters(row.id, measured.energy);
    }
    if (const auto time = model::summarise(measured.samples_ns)) set_time(row, *time, measured.samples_ns);
  }

  // Stores the time. Returns whether the row is still plausible.
  bool set_time(db::StoredMeasurement row, const model::TimeSummary& time,
                const std::vector<double>& samples_ns) {
    row.measurement.time = time;
    row.measurement.status = model::Status::kMeasured;  // A dropped row becomes a measured one.
    store_.set_time(row.id, time, samples_ns);
    ranking_.set_time(row.id, time, samples_ns);
    return keep_if_plausible(std::move(row), plausibility_, store_, listener_, ranking_);
  }

  void compare_errors(const std::vector<db::StoredMeasurement>& finalists,
                      const std::vector<profiling::timing::FinalistTiming>& timings) {
    for (const profiling::verification::ImpreciseFinalist& one :
         profiling::verification::imprecise_finalists(timings)) {
      const db::StoredMeasurement& row = finalists.at(one.index);
      if (!reported_imprecise_.insert(row.id).second) continue;
      imprecise_.push_back({row.measurement.configuration, one.error, one.median_error});
      listener_.on_event(imprecise_.back());
    }
  }

  const SessionPlan& plan_;
  evaluation::Evaluator& evaluator_;
  const profiling::verification::PlausibilityCheck& plausibility_;
  db::Store& store_;
  SessionListener& listener_;
  const base::Cancellation& cancellation_;
  knowledge::Ranking& ranking_;
  DemandedOutputs* demanded_;  // Null without a demand.
  std::vector<Samples> passes_;
  std::set<std::int64_t> timed_;
  std::set<std::int64_t> reported_imprecise_;
  std::vector<FinalistImprecise> imprecise_;
};

}  // namespace

void reject_implausible(const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, knowledge::Ranking& ranking) {
  for (bool all_kept = false; !all_kept && !ranking.rows().empty();) {
    all_kept = true;
    std::vector<db::StoredMeasurement> rows = finalists_of(ranking);
    rows.push_back(ranking.best()->stored);  // The preferred row may be behind the finalists.
    std::set<std::int64_t> seen;
    for (const db::StoredMeasurement& row : rows) {
      if (seen.insert(row.id).second && !keep_if_plausible(row, plausibility, store, listener, ranking))
        all_kept = false;
    }
  }
}

FinalsResult run_finals(const SessionPlan& plan, evaluation::Evaluator& evaluator,
                        const profiling::verification::PlausibilityCheck& plausibility, db::Store& store,
                        SessionListener& listener, const base::Cancellation& cancellation,
                        knowledge::Ranking& ranking, DemandedOutputs* demanded) {
  FinalsResult result;
  Finals finals(plan, evaluator, plausibility, store, listener, cancellation, ranking, demanded);
  const bool by_energy = plan.objective.needs_energy() && evaluator.measures_again();
  const int max_passes = by_energy ? kMaxEnergyPasses : demanded != nullptr ? kMaxDemandedPasses : kMaxPasses;
  const bool has_rounds = plan.objective.is_time_like() || by_energy;
  int passes = 0;
  bool can_time = has_rounds;
  for (bool confirmed = plan.final_rounds == 0; !confirmed && !ranking.rows().empty();) {
    result.interrupted = cancellation.is_cancelled();
    if (result.interrupted) break;
    if (can_time && !finals.first_is_timed() && passes++ < max_passes) {
      can_time = by_energy ? finals.measure_energy() : finals.time();
      continue;
    }
    finals.reach_first_met();
    finals.choose();
    confirmed = finals.confirm();
    can_time = has_rounds;  // The row that ended the worker may be rejected now.
  }
  if (ranking.rows().empty()) result.interrupted = cancellation.is_cancelled();
  result.tied = finals.choose();
  result.imprecise = finals.take_imprecise();
  return result;
}

}  // namespace warptune::tuner::session::finals
