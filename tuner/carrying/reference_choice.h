#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "model/value.h"

namespace warptune::tuner::carrying {

/// The maximum number of reference configurations of a workload.
inline constexpr std::size_t kMaxReferences = 64;

/// Whether a row says something about the time of its configuration. Only such rows are carried over.
bool has_time(const model::Measurement& row);

/// Chooses the configurations whose code stands for that of all rows of a workload with a time. `first` come
/// first (the default and the best), also if no row has them. Then each value of each parameter that such a
/// row has is in at least one chosen row. After that, up to `kPairReferences` rows are chosen for as many
/// different pairs of values as possible. The choice depends only on the arguments. Returns std::nullopt if
/// `kMaxReferences` rows do not have all values.
///
/// The rows themselves are chosen, because a session has compiled them: their code is in the compile cache.
std::optional<std::vector<model::NamedValues>> choose_references(
    const std::vector<db::StoredMeasurement>& rows, const std::vector<model::NamedValues>& first);
inline constexpr std::size_t kPairReferences = 16;

/// A value that a row with a time has and no reference, as `BLOCK=512`. Returns std::nullopt if there is
/// none.
std::optional<std::string> uncovered_value(const std::vector<db::StoredMeasurement>& rows,
                                           const std::vector<model::NamedValues>& references);

}  // namespace warptune::tuner::carrying
