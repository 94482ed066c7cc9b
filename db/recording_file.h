#pragma once

#include <filesystem>
#include <string>

#include "model/recording.h"

namespace warptune::db {

/// Writes a recording as zstd-compressed JSON lines (one header object, then one row a measurement).
void write_recording(const std::filesystem::path& path, const model::Recording& recording);

/// Reads one. Throws `base::InputError` naming file (and line) when it is truncated, malformed, of a newer
/// format, or has values outside its parameters.
model::Recording read_recording(const std::filesystem::path& path);

/// Reads a recording of any known format, told by its content: warptune's own, a Kernel Tuner cache, T4
/// results (1.0.0, 1.1.0), KTT results; each as it is, gzipped or zstd-compressed. Those of others are
/// `listed`, and their `time.median_ns` is the time the file gives (Kernel Tuner's is the mean of its
/// samples, the first and slow one included), so that every tuner is scored by the same number; `samples_ns`
/// holds the samples. `compile_ms` is the file's compile time, `measure_ms` the sum of its other costs
/// (benchmark, framework, search, validation). Every further number of a row is a counter. What is odd but
/// bearable (repeated rows, bad times) goes to the log. Throws `base::InputError` naming the file for all
/// else.
model::Recording read_any_recording(const std::filesystem::path& path);

}  // namespace warptune::db
