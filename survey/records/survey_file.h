// A survey as a file, `NAME.wtsurvey.zst`: JSON, compressed with zstd.
#pragma once

#include <cstddef>
#include <filesystem>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// The most bytes of a survey's JSON before it is compressed: about 50 million records.
inline constexpr std::size_t kMaxSurveyText = std::size_t{1} << 30;

/// Writes a survey. The file appears under its name when it is complete. Throws `base::InputError` with the
/// path if it cannot be written, or if its text is longer than `max_text`.
void write_survey(const Survey& survey, const std::filesystem::path& path,
                  std::size_t max_text = kMaxSurveyText);

/// Reads a survey that `write_survey` wrote, or an earlier version of it. Every index of the result is within
/// its table. Throws `base::InputError` with the path if the file cannot be read, is damaged or cut off, or
/// has a newer version, and if its text is longer than `max_text`.
Survey read_survey(const std::filesystem::path& path, std::size_t max_text = kMaxSurveyText);

}  // namespace warptune::survey::records
