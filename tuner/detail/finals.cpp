#include "tuner/detail/finals.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

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

// One turn of rounds; nothing where the evaluator cannot.
Samples time_again(const SessionPlan& plan, Evaluator& evaluator, db::Store& store, Ranking& ranking,
                   const std::vector<db::StoredMeasurement>& finalists) {
  std::vector<search::NamedValues> configurations;
  configurations.reserve(finalists.size());
  for (const db::StoredMeasurement& row : finalists) configurations.push_back(row.measurement.configuration);
  const std::vector<std::vector<double>> samples =
      evaluator.time_interleaved(configurations, plan.final_rounds);
  if (samples.size() != finalists.size()) return {};
  Samples taken;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (samples[i].empty()) continue;
    const search::TimeSummary time = search::summarise(samples[i]);
    store.set_time(finalists[i].id, time, samples[i]);
    ranking.set_time(finalists[i].id, time, samples[i]);
    taken[finalists[i].id] = samples[i];
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

FinalsResult run_finals(const SessionPlan& plan, Evaluator& evaluator, db::Store& store,
                        SessionListener& listener, const Cancellation& cancellation, Ranking& ranking) {
  FinalsResult result;
  std::vector<Samples> turns;
  std::set<std::int64_t> confirmed;
  for (int turn = 0; turn < kMostTurns && plan.final_rounds > 0; ++turn) {
    result.interrupted = cancellation.is_cancelled();
    const bool done = ranking.rows().empty() || confirmed.count(ranking.rows().front().stored.id) != 0;
    if (result.interrupted || done) break;
    const std::vector<db::StoredMeasurement> finalists = finalists_of(ranking);
    listener.on_event(FinalsBegan{finalists.size(), plan.final_rounds});
    turns.push_back(time_again(plan, evaluator, store, ranking, finalists));
    if (turns.back().empty()) break;
    for (const auto& [id, ignored] : turns.back()) confirmed.insert(id);
  }
  if (plan.objective.is_time() && !ranking.rows().empty()) result.tied = choose(plan, store, ranking, turns);
  return result;
}

}  // namespace warptune::tuner::detail
