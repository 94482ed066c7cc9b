// A survey as a file, `NAME.wtsurvey.zst`: JSON, compressed with zstd.
#pragma once

#include <filesystem>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// Writes a survey. The file appears under its name when it is complete. Throws `base::InputError` with the
/// path if it cannot be written.
void write_survey(const Survey& survey, const std::filesystem::path& path);

/// Reads a survey that `write_survey` wrote, or an earlier version of it. Every index of the result is within
/// its table. Throws `base::InputError` with the path if the file cannot be read, is damaged or cut off, or
/// has a newer version.
Survey read_survey(const std::filesystem::path& path);

}  // namespace warptune::survey::records
