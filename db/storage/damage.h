#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/storage/sqlite.h"
#include "db/store.h"

namespace warptune::db::storage {

/// Verifies everything in the file and returns what is damaged:
/// * the structure of the file, its references between tables, and the text of its schema;
/// * the checksums of sessions, measurements, counters and roofs. A missing checksum is a problem, too;
/// * the state of each search, and which measurement is preferred;
/// * values that are stored twice, or are derived from other rows.
std::vector<DamagedRow> find_damage(Database& database);

/// The first damage of the pages of a database; empty if there is none. Reads the whole file.
std::string page_problem(Database& database);
/// How the text of the schema differs from the newest version's; empty if it does not. A user's own tables do
/// not matter.
std::string schema_problem(Database& database);
/// The same for the attached database `schema`, which must have nothing else, either.
std::string foreign_schema_problem(Database& database, const char* schema);
/// Whether the columns of a GPU differ from its description as JSON; empty if they do not.
std::string problem_of_gpu(Database& database, std::int64_t id);

}  // namespace warptune::db::storage
