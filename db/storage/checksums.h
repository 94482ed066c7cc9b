#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/store.h"
#include "model/measurement.h"

/// Checksums of rows. A damaged file (a bad disk, memory, or copy) may still be readable without an error.
/// Each row therefore has a checksum of its content. It is the XXH3 hash of the names and values of the row's
/// columns, and of the workload or GPU that the row belongs to.
///
/// A column that is 0, NaN, empty or false is not hashed. If a later schema adds a column, the checksums of
/// earlier rows therefore stay the same. If it renames a column, its migration must compute the checksums
/// again.
namespace warptune::db::storage {

/// The checksum of a workload, from the texts of its row and of its kernel's row.
std::uint64_t workload_checksum_of(std::string_view kernel, std::string_view kernel_hash,
                                   std::string_view problem_key, std::string_view gpu_key,
                                   std::string_view cache_state);

/// The checksum of a measurement without its counters. `workload` is the checksum of its workload, and
/// `session` the id that its session had in the file in which it was made.
/// `preferred` is not hashed, because it only decides among rows that are equally fast.
std::int64_t checksum_of(std::uint64_t workload, std::int64_t session, const model::Measurement& measurement);
std::int64_t checksum_of(const model::Counters& counters);
/// The checksum of a session. `gpu` is the text of its GPU's description, as stored.
std::int64_t checksum_of(std::uint64_t workload, std::string_view gpu, const Session& session);
std::int64_t checksum_of(std::string_view gpu_key, const model::RoofReading& reading);
/// The checksum of the digests of a workload's code.
std::int64_t checksum_of(std::uint64_t workload, const model::WorkloadCode& code);
/// The checksum of a session's `search_state`.
std::int64_t search_checksum_of(std::string_view search_state);

}  // namespace warptune::db::storage
