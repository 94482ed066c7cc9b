#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "db/recordings/recording_text.h"

namespace warptune::db::recordings {

/// Compresses a text into one zstd frame with a checksum. The same text gives the same bytes with the same
/// version of the library.
std::string compress(std::string_view text);

/// Whether `bytes` begin like a zstd frame.
bool is_zstd(std::string_view bytes);

/// Unpacks one or more frames and gives their text to `take`, piece by piece. Throws `base::InputError` with
/// `path` if `bytes` are not zstd, or are truncated or damaged. `take` may have received some pieces by then.
void decompress(std::string_view bytes, const std::filesystem::path& path, const TextSink& take);

}  // namespace warptune::db::recordings
