#pragma once

#include <filesystem>
#include <string>

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

}  // namespace warptune::db
