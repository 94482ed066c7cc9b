#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "search/analysis/importance.h"
#include "search/analysis/timed_rows.h"
#include "search/models/forest.h"

namespace warptune::search::analysis {

/// Fewer rows than this make no model.
constexpr std::size_t kMinForModel = 30;
/// Configurations that take at most this times the best's time are near it.
constexpr double kNearRatio = 1.5;

/// A model with less says too little of why times differ to be shown: R^2 for rows that it has not seen.
constexpr double kMinRSquared = 0.5;

/// A model of log time with the importance that it gives.
struct ModelledImportance {
  std::shared_ptr<const models::Forest> model;
  std::size_t rows = 0;  ///< That the model learned from.
  Importance importance;
};

/// Whether its error allows its shares to be shown.
bool is_trustworthy(const ModelledImportance& modelled);

/// Over the space: the model learns from all rows and answers for the valid configurations, all or 10,000
/// drawn uniformly, but for those known to fail; where neither can be had (constraints that only single
/// configurations can be checked for), for the rows themselves. The rows of a search crowd where it looked;
/// the space's own configurations weigh all alike. Nothing with fewer than `kMinForModel` rows.
std::optional<ModelledImportance> importance_over_space(const TimedRows& rows, const model::Space& space,
                                                        std::uint64_t seed = 1);

/// Among what is near the best: the model learns from those rows alone and answers for them. What makes a
/// configuration hopeless does not count here, what decides among good ones does. Nothing with fewer than
/// `kMinForModel` such rows.
std::optional<ModelledImportance> importance_near_best(const TimedRows& rows, double ratio = kNearRatio,
                                                       std::uint64_t seed = 1);

}  // namespace warptune::search::analysis
