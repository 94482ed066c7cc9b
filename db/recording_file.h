#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"

namespace warptune::db {

/// Writes a recording as zstd-compressed JSON lines: first a header object, then one line for each
/// measurement. The file is replaced atomically.
void write_recording(const std::filesystem::path& path, const model::Recording& recording);

/// Reads a recording of warptune's own format. Throws `base::InputError` with the file (and the line) if it
/// is truncated or malformed, has a newer format, or has a value that its parameters do not have.
model::Recording read_recording(const std::filesystem::path& path);

/// Reads a recording of any known format, which is detected from the content: warptune's own, a Kernel Tuner
/// cache, T4 results (1.0.0, 1.1.0) or KTT results. The file may be plain, gzipped or zstd-compressed.
///
/// A recording of another tuner is `listed`: its space consists of its rows. Its `time.median_ns` is the time
/// that the file gives, so that warptune and the other tuner are scored by the same number. For Kernel Tuner
/// that is the mean of its samples, including the slow first one. `samples_ns` has the samples. `compile_ms`
/// is the file's compile time. `measure_ms` is the sum of its other costs (benchmark, framework, search,
/// validation). Every other number of a row is a counter.
///
/// Repeated rows and invalid times are tolerated and reported in the log. Throws `base::InputError` with the
/// file's name for any other defect.
model::Recording read_any_recording(const std::filesystem::path& path);

/// The rows of recordings as T4 results, version 1.1.0. `read_file_to_import` gives the same rows. Their
/// workloads, statuses, reasons and intervals are in members that T4 does not have, and that other readers
/// ignore.
std::string rows_as_t4(const std::vector<model::Recording>& recordings);

/// The content of a file that is imported.
struct ImportedFile {
  std::string format;  ///< The name of the format: `warptune recording`, `T4 results`, ...
  /// Whether the file names the kernel with its hash, the problem, the GPU and the cache state of each
  /// recording. warptune's own files do.
  bool names_workloads = false;
  std::vector<model::Recording> recordings;  ///< One for each workload.
};

/// Reads a file of any known format, as `read_any_recording` does. A T4 file that warptune wrote may have
/// several workloads. `time_unit` is the unit of the times (`ms`, `us`, ...) of a T4 or KTT file that does
/// not state it. Throws `base::InputError` if it states another unit, or if neither says the unit.
ImportedFile read_file_to_import(const std::filesystem::path& path,
                                 const std::optional<std::string>& time_unit);

}  // namespace warptune::db
