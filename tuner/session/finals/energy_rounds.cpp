#include "tuner/session/finals/energy_rounds.h"

#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "base/random.h"
#include "model/median.h"
#include "model/own_metrics.h"

namespace warptune::tuner::session::finals {

namespace {

// The ids of a search's candidates count from 0.
constexpr std::uint64_t kFirstId = std::uint64_t{1} << 62;

// Evaluates one configuration. Counters that arrive meanwhile belong to rows that are complete. Returns
// std::nullopt if the session is cancelled.
std::optional<model::Measurement> evaluate(evaluation::Evaluator& evaluator, std::uint64_t id,
                                           const model::NamedValues& configuration,
                                           const base::Cancellation& cancellation) {
  evaluator.submit({id, configuration});
  while (!cancellation.is_cancelled()) {
    for (evaluation::EvaluationEvent& event : evaluator.wait(evaluation::Evaluator::kPollInterval)) {
      auto* measured = std::get_if<evaluation::MeasurementEvent>(&event);
      if (measured != nullptr && measured->id == id) return std::move(measured->measurement);
    }
  }
  evaluator.drop_waiting();
  return std::nullopt;
}

// What one configuration gave, round by round.
struct Taken {
  std::map<std::string, std::vector<double>> energy;
  std::vector<double> samples_ns;
  std::optional<model::Rejection> fault;

  void add(const model::Measurement& measurement) {
    if (measurement.status == model::Status::kWrongResult ||
        measurement.status == model::Status::kImplausible)
      fault = model::Rejection{measurement.status,
                               "right in the search, wrong in the finals: " + measurement.reason};
    if (measurement.status != model::Status::kMeasured) return;
    for (const char* name :
         {model::own_metric::kEnergyJ, model::own_metric::kPowerW, model::own_metric::kEnergyRelativeError}) {
      if (const auto found = measurement.counters.find(name); found != measurement.counters.end())
        energy[name].push_back(found->second);
    }
    samples_ns.insert(samples_ns.end(), measurement.samples_ns.begin(), measurement.samples_ns.end());
  }
};

}  // namespace

std::vector<EnergyFinalist> measure_energy_again(evaluation::Evaluator& evaluator,
                                                 const std::vector<model::NamedValues>& configurations,
                                                 int rounds, std::uint64_t seed,
                                                 const base::Cancellation& cancellation) {
  std::vector<Taken> taken(configurations.size());
  std::vector<std::size_t> order(configurations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  base::Random random(seed);
  std::uint64_t id = kFirstId;
  for (int round = 0; round < rounds; ++round) {
    random.shuffle(order);
    for (const std::size_t i : order) {
      if (taken[i].fault) continue;
      const auto measurement = evaluate(evaluator, id++, configurations[i], cancellation);
      if (!measurement) return {};
      taken[i].add(*measurement);
    }
  }
  std::vector<EnergyFinalist> finalists;
  finalists.reserve(taken.size());
  for (Taken& one : taken) {
    EnergyFinalist finalist;
    for (const auto& [name, readings] : one.energy) {
      if (const std::optional<double> median = model::median_of(readings)) finalist.energy[name] = *median;
    }
    finalist.samples_ns = std::move(one.samples_ns);
    finalist.fault = std::move(one.fault);
    finalists.push_back(std::move(finalist));
  }
  return finalists;
}

}  // namespace warptune::tuner::session::finals
