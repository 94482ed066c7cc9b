#pragma once

#include <filesystem>
#include <string>

#include "db/header_export.h"
#include "db/store.h"
#include "tests/temporary_folder.h"

namespace warptune::db::testing {

using tests::TemporaryFolder;

/// SQL that undoes versions 10 and 9 of the schema, except for the view `winner` and the number of the
/// version. The dropped triggers and indices need only exist.
inline constexpr const char* kUndoReplays = R"sql(
    ALTER TABLE session DROP COLUMN driver_release;
    DROP TABLE workload_code; DROP TABLE claim; DROP TABLE claimant;
    DROP INDEX measurement_chosen; DROP INDEX session_by_origin; DROP INDEX measurement_by_origin;
    DROP TRIGGER session_added; DROP TRIGGER measurement_merged; DROP TABLE deletion;
    ALTER TABLE session DROP COLUMN search_checksum; ALTER TABLE session DROP COLUMN origin; ALTER TABLE session DROP COLUMN origin_id;
    ALTER TABLE session DROP COLUMN revision; ALTER TABLE roof DROP COLUMN revision;
    DROP VIEW winner; DROP TRIGGER measurement_added; DROP TRIGGER measurement_removed;
    DROP INDEX configuration_by_time; DROP INDEX configuration_preferred;
    ALTER TABLE measurement DROP COLUMN origin_id; ALTER TABLE measurement DROP COLUMN revision;
    ALTER TABLE measurement DROP COLUMN chosen;
    ALTER TABLE measurement DROP COLUMN replayed;
    ALTER TABLE configuration DROP COLUMN latest_clock;
    ALTER TABLE configuration DROP COLUMN latest_replayed;
    CREATE TRIGGER measurement_added AFTER INSERT ON measurement BEGIN SELECT 1; END;
    CREATE TRIGGER measurement_removed AFTER DELETE ON measurement BEGIN SELECT 1; END;
    CREATE INDEX configuration_by_time ON configuration(workload_id, latest_ns, latest_id);
    CREATE INDEX configuration_preferred ON configuration(workload_id, latest_ns, latest_id);
)sql";

/// A GPU similar to an H200. The arguments make other GPUs.
model::GpuDescription gpu(int major = 9, int minor = 0, int sm_count = 132,
                          const std::string& name = "NVIDIA H200");
model::Workload workload(model::NamedValues problem = {{"N", std::int64_t{4096}},
                                                       {"dtype", std::string("f32")}},
                         model::GpuDescription gpu = testing::gpu());
Session session(const model::Workload& workload = testing::workload());
model::NamedValues configuration(std::int64_t block, bool stride = false, const std::string& load = "ldg");
model::Measurement measured(const model::NamedValues& configuration, double median_ns);
model::Measurement failed(const model::NamedValues& configuration, model::Status status,
                          const std::string& reason);
Winner winner(const model::Workload& workload, const model::NamedValues& configuration, double median_ns);

/// A kernel with parameters of all types, constraints over all names, and no winners.
ExportInput vector_add();

std::string slurp(const std::filesystem::path& path);
/// The text of a zstd-compressed file.
std::string unpacked(const std::filesystem::path& path);
std::string gzipped(const std::string& text);
void spill(const std::filesystem::path& path, const std::string& bytes);

}  // namespace warptune::db::testing
