#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/detail/sqlite.h"
#include "db/store.h"

namespace warptune::db::detail {

/// Selects what `read_measurements` reads where `condition` holds, which may name `measurement` and
/// `configuration`, and may order and limit.
std::string measurement_query(const std::string& condition);
/// The rows of a `measurement_query`. Throws `base::InputError` where the database is damaged.
std::vector<StoredMeasurement> read_measurements(Database& database, Statement& statement,
                                                 bool with_counters = true);
std::optional<StoredMeasurement> measurement_by_id(Database& database, std::int64_t id);
/// The ids of a subject's rows in the table: one, or several where kernels of several names have one hash.
std::vector<std::int64_t> subject_ids(Database& database, const search::Subject& subject);

}  // namespace warptune::db::detail
