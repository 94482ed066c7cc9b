#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "db/detail/sqlite.h"

namespace warptune::db::detail {

/// `PRAGMA application_id` of a warptune database: "WTdb".
constexpr std::int64_t kApplicationId = 0x57546462;

/// Statements that lead from one schema version to the next; the i-th makes version i + 1.
std::span<const char* const> migrations();

/// Opens (and makes or migrates) a database for writing. `steps` are `migrations()` outside of tests.
Database open_for_writing(const std::filesystem::path& path,
                          std::span<const char* const> steps = migrations());

/// Opens for reading only; an older schema is migrated first.
Database open_for_reading(const std::filesystem::path& path);

}  // namespace warptune::db::detail
