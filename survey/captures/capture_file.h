// A captured launch as a file, `NAME.wtcapture.zst`.
//
// The file is one zstd frame with a checksum. Its text begins with a line of JSON, which describes the launch
// and has the sizes of what follows. The image comes next, then the block of parameters. Then each buffer has
// its bytes before the launch, and those after it if they differ.
#pragma once

#include <cstddef>
#include <filesystem>

#include "profiling/captures/captured_launch.h"

namespace warptune::survey::captures {

/// The largest limit for the contents of a captured launch, in MiB.
inline constexpr std::size_t kMaxCaptureMib = 2048;
/// The most bytes of a capture before it is compressed: contents before and after the launch, and the code.
inline constexpr std::size_t kMaxCaptureText = (2 * kMaxCaptureMib + 512) << 20;

/// Writes a capture. The file appears under its name when it is complete. Throws `base::InputError` with the
/// path if it cannot be written.
void write_capture(const profiling::captures::CapturedLaunch& launch, const std::filesystem::path& path);

/// Reads a capture that `write_capture` wrote. All parameters of the result are within the block. Throws
/// `base::InputError` with the path if the file cannot be read, is damaged or cut off, or has a newer
/// version, and if its text is longer than `max_text`.
profiling::captures::CapturedLaunch read_capture(const std::filesystem::path& path,
                                                 std::size_t max_text = kMaxCaptureText);

}  // namespace warptune::survey::captures
