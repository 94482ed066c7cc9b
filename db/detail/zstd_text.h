#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::db::detail {

/// One zstd frame with a checksum; the same bytes for the same text and library.
std::string compress(std::string_view text);

/// Whether bytes begin as a zstd frame does.
bool is_zstd(std::string_view bytes);

/// The text of one or more frames. Throws `base::InputError` naming `path` when `bytes` are no zstd,
/// truncated or damaged.
std::string decompress(std::string_view bytes, const std::filesystem::path& path);

}  // namespace warptune::db::detail
