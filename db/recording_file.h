#pragma once

#include <filesystem>
#include <string>

#include "search/recording.h"

namespace warptune::db {

/// Writes a recording as zstd-compressed JSON lines (one header object, then one row a measurement).
void write_recording(const std::filesystem::path& path, const search::Recording& recording);

/// Reads one. Throws `base::InputError` naming file (and line) when it is truncated, malformed, of a newer
/// format, or has values outside its parameters.
search::Recording read_recording(const std::filesystem::path& path);

}  // namespace warptune::db
