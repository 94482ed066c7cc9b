#pragma once

#include <filesystem>
#include <string_view>

#include "db/recordings/recording_text.h"

namespace warptune::db::recordings {

/// Whether `bytes` begin like a gzip file.
bool is_gzip(std::string_view bytes);

/// Unpacks one or more gzip members and gives their text to `take`, piece by piece. Throws `base::InputError`
/// with `path` if `bytes` are truncated or damaged. `take` may have received some pieces by then.
void gunzip(std::string_view bytes, const std::filesystem::path& path, const TextSink& take);

}  // namespace warptune::db::recordings
