#include "search/analysis/modelled_importance.h"

#include <set>

namespace warptune::search::analysis {

namespace {

constexpr std::size_t kMaxConfigurations = 10000;  // A larger space is sampled.

std::set<model::Configuration> failed_of(const model::Recording& recording) {
  std::set<model::Configuration> failed;
  const std::vector<model::Configuration> configurations = recording.configurations();
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (!has_time(recording.measurements[i])) failed.insert(configurations[i]);
  }
  return failed;
}

std::vector<model::Configuration> configurations_of(const TimedRows& rows, const model::Space& space,
                                                    std::uint64_t seed) {
  if (!space.is_exact() || space.size() == 0) return rows.configurations;
  const std::set<model::Configuration> failed = failed_of(*rows.recording);
  std::vector<model::Configuration> configurations;
  if (space.size() <= kMaxConfigurations) {
    space.for_each([&](const model::Configuration& configuration) {
      if (failed.count(configuration) == 0) configurations.push_back(configuration);
      return true;
    });
    return configurations;
  }
  base::Random random(seed);
  configurations.reserve(kMaxConfigurations);
  for (std::size_t i = 0; i < kMaxConfigurations; ++i) {
    model::Configuration configuration = space.sample(random);
    if (failed.count(configuration) == 0) configurations.push_back(std::move(configuration));
  }
  return configurations;
}

ModelledImportance modelled(const TimedRows& rows, const std::vector<model::Configuration>& configurations,
                            std::uint64_t seed) {
  const std::vector<model::Parameter>& parameters = rows.recording->parameters;
  models::ForestOptions options;
  options.seed = seed;
  ModelledImportance result;
  result.rows = rows.size();
  result.model = std::make_shared<models::Forest>(parameters, rows.configurations, rows.log_times, options);
  result.importance = importance_of(parameters, configurations, result.model->predict_all(configurations));
  return result;
}

}  // namespace

bool is_trustworthy(const ModelledImportance& modelled) {
  return modelled.model->error().r_squared >= kMinRSquared;
}

std::optional<ModelledImportance> importance_over_space(const TimedRows& rows, const model::Space& space,
                                                        std::uint64_t seed) {
  if (rows.size() < kMinForModel) return std::nullopt;
  return modelled(rows, configurations_of(rows, space, seed), seed);
}

std::optional<ModelledImportance> importance_near_best(const TimedRows& rows, double ratio,
                                                       std::uint64_t seed) {
  if (!rows.best()) return std::nullopt;
  const TimedRows near = near_best(rows, ratio);
  if (near.size() < kMinForModel) return std::nullopt;
  return modelled(near, near.configurations, seed);
}

}  // namespace warptune::search::analysis
