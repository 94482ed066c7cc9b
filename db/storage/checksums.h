#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/store.h"

/// Checksums of rows. A file that is damaged (a bad disk, memory, or copy) may still read without an error,
/// so each row holds a checksum of what it says: XXH3 of its columns by name and of what the row is about.
///
/// A column that is 0, NaN, empty or false leaves no trace, so that a column which a later schema adds
/// changes no checksum of an earlier row. One that is renamed does: its migration has to compute the
/// checksums again.
namespace warptune::db::storage {

/// Of the texts of a workload's row, with those of its kernel.
std::uint64_t workload_checksum_of(std::string_view kernel, std::string_view kernel_hash,
                                   std::string_view problem_key, std::string_view gpu_key,
                                   std::string_view cache_state);

/// `workload` is the checksum of the row's workload. Without counters, and without `preferred`, which decides
/// among rows that are as fast.
std::int64_t checksum_of(std::uint64_t workload, std::int64_t session, const model::Measurement& measurement);
std::int64_t checksum_of(const model::Counters& counters);
/// `gpu` is the text of its GPU's description, as stored.
std::int64_t checksum_of(std::uint64_t workload, std::string_view gpu, const Session& session);
std::int64_t checksum_of(std::string_view gpu_key, const model::RoofReading& reading);

}  // namespace warptune::db::storage
