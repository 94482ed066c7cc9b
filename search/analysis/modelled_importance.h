#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "search/analysis/importance.h"
#include "search/analysis/timed_rows.h"
#include "search/models/forest.h"

namespace warptune::search::analysis {

/// The minimum number of rows for a model.
constexpr std::size_t kMinForModel = 30;
/// A configuration is near the best if it takes at most this multiple of the best time.
constexpr double kNearRatio = 1.5;

/// The minimum out-of-bag R^2 of a model whose importance is shown.
constexpr double kMinRSquared = 0.5;

/// A model of the logarithm of the time, and the importance of the parameters by this model.
struct ModelledImportance {
  std::shared_ptr<const models::Forest> model;
  std::size_t rows = 0;  ///< The number of rows that the model learned from.
  Importance importance;
};

/// Whether the model explains enough of the variance (`kMinRSquared`) to show its importance.
bool is_trustworthy(const ModelledImportance& modelled);

/// The importance over the whole space. The model learns from all rows. It then predicts the valid
/// configurations, except for those that are known to fail. If there are more than 10,000, a uniform sample
/// of this size is used.
///
/// The rows of a search are concentrated where the search looked. So the importance is computed from
/// configurations that are drawn evenly from the space, not from the rows. Exception: if the diagrams do not
/// contain all constraints (`!space.is_exact()`), drawing is too slow, and the rows are used after all.
///
/// Returns std::nullopt for fewer than `kMinForModel` rows.
std::optional<ModelledImportance> importance_over_space(const TimedRows& rows, const model::Space& space,
                                                        std::uint64_t seed = 1);

/// The importance near the best. The model learns only from the rows that take at most `ratio` times the best
/// time, and predicts these rows. It shows what decides among good configurations.
///
/// Returns std::nullopt for fewer than `kMinForModel` such rows.
std::optional<ModelledImportance> importance_near_best(const TimedRows& rows, double ratio = kNearRatio,
                                                       std::uint64_t seed = 1);

}  // namespace warptune::search::analysis
