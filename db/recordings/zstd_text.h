#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "db/recordings/recording_text.h"

namespace warptune::db::recordings {

/// One zstd frame with a checksum; the same bytes for the same text and library.
std::string compress(std::string_view text);

/// Whether bytes begin as a zstd frame does.
bool is_zstd(std::string_view bytes);

/// Hands on the text of one or more frames, piece by piece. Throws `base::InputError` naming `path` when
/// `bytes` are no zstd, truncated or damaged, which may be found after pieces were taken.
void decompress(std::string_view bytes, const std::filesystem::path& path, const TextSink& take);

}  // namespace warptune::db::recordings
