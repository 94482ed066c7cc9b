#include "tuner/detail/finals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tuner/verification.h"

namespace warptune::tuner::detail {

namespace {

constexpr std::size_t kMostFinalists = 8;
constexpr double kFinalistRatio = 1.05;
constexpr int kMostTurns = 8;

using Samples = std::map<std::int64_t, std::vector<double>>;  // By row.

std::vector<db::StoredMeasurement> finalists_of(const Ranking& ranking) {
  std::vector<db::StoredMeasurement> finalists;
  const double best = ranking.rows().front().value;
  for (const RatedRow& row : ranking.rows()) {
    // Of a negative objective the near ones are those that come 5 % less far down.
    const bool near = row.value <= best + (kFinalistRatio - 1.0) * std::abs(best);
    if ((near && finalists.size() < kMostFinalists) || ranking.is_default(row.stored.measurement))
      finalists.push_back(row.stored);
  }
  // What people compare with is timed properly even where it was dropped as hopeless.
  if (ranking.dropped_default()) finalists.push_back(*ranking.dropped_default());
  return finalists;
}

// What was taken for right is wrong: it stays stored, for people to look at.
void reject(const db::StoredMeasurement& row, const search::Rejection& rejection, db::Store& store,
            SessionListener& listener, Ranking& ranking) {
  store.reject(row.id, rejection);
  ranking.remove(row.id);
  listener.on_event(SessionWarning{
      fmt::format("{} is not ranked: {}", search::to_text(row.measurement.configuration), rejection.reason)});
}

// One turn of rounds; nothing where the evaluator cannot.
Samples time_again(const SessionPlan& plan, Evaluator& evaluator, db::Store& store, SessionListener& listener,
                   Ranking& ranking, const std::vector<db::StoredMeasurement>& finalists) {
  std::vector<search::NamedValues> configurations;
  configurations.reserve(finalists.size());
  for (const db::StoredMeasurement& row : finalists) configurations.push_back(row.measurement.configuration);
  const std::vector<profiling::FinalistTiming> timings =
      evaluator.time_interleaved(configurations, plan.final_rounds);
  if (timings.size() != finalists.size()) return {};
  Samples taken;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const std::vector<double>& samples_ns = timings[i].samples_ns;
    if (timings[i].fault) reject(finalists[i], *timings[i].fault, store, listener, ranking);
    if (timings[i].fault || samples_ns.empty()) continue;
    const search::TimeSummary time = search::summarise(samples_ns);
    store.set_time(finalists[i].id, time, samples_ns);
    ranking.set_time(finalists[i].id, time, samples_ns);
    taken[finalists[i].id] = samples_ns;
  }
  return taken;
}

// The last turn that had the fastest row decides among what was timed beside it.
std::vector<search::NamedValues> choose(const SessionPlan& plan, db::Store& store, Ranking& ranking,
                                        const std::vector<Samples>& turns) {
  const RatedRow& fastest = ranking.rows().front();
  const auto turn = std::find_if(turns.rbegin(), turns.rend(), [&](const Samples& samples) {
    return samples.count(fastest.stored.id) != 0;
  });
  if (turn == turns.rend()) return {};
  const std::vector<double>& fastest_ns = turn->at(fastest.stored.id);
  std::vector<const db::StoredMeasurement*> tied;
  const db::StoredMeasurement* choice = &fastest.stored;
  for (const RatedRow& row : ranking.rows()) {
    const auto samples = turn->find(row.stored.id);
    if (samples == turn->end()) continue;
    if (row.stored.id != fastest.stored.id && !are_tied(samples->second, fastest_ns)) continue;
    tied.push_back(&row.stored);
    const bool near = row.value <= kPreferredRatio * fastest.value;
    if (near && is_simpler(row.stored.measurement, choice->measurement, plan.default_configuration))
      choice = &row.stored;
  }
  std::vector<search::NamedValues> others;
  for (const db::StoredMeasurement* row : tied) {
    if (row != choice) others.push_back(row->measurement.configuration);
  }
  const std::int64_t chosen = choice->id;
  store.set_preferred(chosen);
  ranking.set_preferred(chosen);
  return others;
}

}  // namespace

bool are_tied(const std::vector<double>& a_ns, const std::vector<double>& b_ns) {
  if (a_ns.size() != b_ns.size()) {
    const search::TimeSummary a = search::summarise(a_ns);
    const search::TimeSummary b = search::summarise(b_ns);
    return a.low_ns <= b.high_ns && b.low_ns <= a.high_ns;
  }
  std::vector<double> differences;
  differences.reserve(a_ns.size());
  for (std::size_t i = 0; i < a_ns.size(); ++i) differences.push_back(a_ns[i] - b_ns[i]);
  const search::TimeSummary difference = search::summarise(differences);
  return difference.low_ns <= 0.0 && difference.high_ns >= 0.0;
}

bool is_simpler(const search::Measurement& a, const search::Measurement& b,
                const search::NamedValues& default_configuration) {
  const auto complexity = [&](const search::Measurement& measurement) {
    const auto differs = [&](const auto& entry) {
      const search::Value* usual = search::find(default_configuration, entry.first);
      return usual != nullptr && *usual != entry.second;
    };
    const search::NamedValues& values = measurement.configuration;
    const search::ResourceUse& use = measurement.resources;
    return std::tuple(std::count_if(values.begin(), values.end(), differs), use.registers_per_thread,
                      use.static_shared_bytes + use.dynamic_shared_bytes, measurement.time.median_ns);
  };
  return complexity(a) < complexity(b);
}

namespace {

// The rounds of one session.
class Finals {
 public:
  Finals(const SessionPlan& plan, Evaluator& evaluator, db::Store& store, SessionListener& listener,
         Ranking& ranking)
      : plan_(plan), evaluator_(evaluator), store_(store), listener_(listener), ranking_(ranking) {}

  // Whether the first of the ranking has been timed beside others.
  bool first_is_timed() const {
    return ranking_.rows().empty() || timed_.count(ranking_.rows().front().stored.id) != 0;
  }

  // One turn of rounds. False where the evaluator cannot.
  bool time() {
    const std::vector<db::StoredMeasurement> finalists = finalists_of(ranking_);
    listener_.on_event(FinalsBegan{finalists.size(), plan_.final_rounds});
    const std::size_t ranked = ranking_.rows().size();
    turns_.push_back(time_again(plan_, evaluator_, store_, listener_, ranking_, finalists));
    for (const auto& [id, ignored] : turns_.back()) timed_.insert(id);
    return !turns_.back().empty() || ranking_.rows().size() < ranked;
  }

  // By the time, what ties with the choice.
  std::vector<search::NamedValues> choose() {
    if (!plan_.objective.is_time() || ranking_.rows().empty()) return {};
    return detail::choose(plan_, store_, ranking_, turns_);
  }

  // Whether the best stands up to launches on new inputs. Else it is rejected.
  bool confirm() {
    const RatedRow* best = ranking_.best();
    if (best == nullptr) return true;
    const db::StoredMeasurement row = best->stored;
    const std::optional<profiling::Confirmation> confirmation =
        evaluator_.confirm(row.measurement.configuration);
    if (!confirmation) return true;
    if (!confirmation->stands()) reject(row, confirmation->verdict, store_, listener_, ranking_);
    const search::Counters counters = counters_of(*confirmation);
    store_.add_counters(row.id, counters);
    listener_.on_event(BestConfirmed{row.id, *confirmation});
    const std::optional<Verification> verification = verification_of(counters);
    if (verification && verification->nondeterministic() && !confirmation->may_deviate) {
      listener_.on_event(SessionWarning{fmt::format(
          "{} is {}", search::to_text(row.measurement.configuration), nondeterminism_text(*verification))});
    }
    return confirmation->stands();
  }

 private:
  const SessionPlan& plan_;
  Evaluator& evaluator_;
  db::Store& store_;
  SessionListener& listener_;
  Ranking& ranking_;
  std::vector<Samples> turns_;
  std::set<std::int64_t> timed_;
};

}  // namespace

FinalsResult run_finals(const SessionPlan& plan, Evaluator& evaluator, db::Store& store,
                        SessionListener& listener, const Cancellation& cancellation, Ranking& ranking) {
  FinalsResult result;
  Finals finals(plan, evaluator, store, listener, ranking);
  int turns = 0;
  for (bool confirmed = plan.final_rounds == 0; !confirmed && !ranking.rows().empty();) {
    result.interrupted = cancellation.is_cancelled();
    if (result.interrupted) break;
    if (!finals.first_is_timed() && turns++ < kMostTurns) {
      if (!finals.time()) break;
      continue;
    }
    finals.choose();
    confirmed = finals.confirm();
  }
  result.tied = finals.choose();
  return result;
}

}  // namespace warptune::tuner::detail
