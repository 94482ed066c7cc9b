#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/streams/text_sink.h"

namespace warptune::base::streams {

/// The level of compression for texts that are written once and read often. It is zstd's highest level that
/// needs no extra memory for reading.
inline constexpr int kSmallestZstdLevel = 19;

/// Compresses a text into one zstd frame with a checksum. The same text gives the same bytes with the same
/// level and the same version of the library.
std::string zstd_compress(std::string_view text, int level = kSmallestZstdLevel);

/// Whether `bytes` begin like a zstd frame.
bool is_zstd(std::string_view bytes);

/// Unpacks one or more frames and gives their text to `take`, piece by piece. Throws `InputError` with `path`
/// if `bytes` are not zstd, or are truncated or damaged. The message calls the file `what`, for example
/// "recording". `take` may have received some pieces by then.
void zstd_decompress(std::string_view bytes, const std::filesystem::path& path, std::string_view what,
                     const TextSink& take);

}  // namespace warptune::base::streams
