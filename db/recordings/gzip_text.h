#pragma once

#include <filesystem>
#include <string_view>

#include "db/recordings/recording_text.h"

namespace warptune::db::recordings {

/// Whether bytes begin as a gzip file does.
bool is_gzip(std::string_view bytes);

/// Hands on the text of one or more gzip members, piece by piece. Throws `base::InputError` naming `path`
/// when `bytes` are truncated or damaged, which may be found after pieces were taken.
void gunzip(std::string_view bytes, const std::filesystem::path& path, const TextSink& take);

}  // namespace warptune::db::recordings
