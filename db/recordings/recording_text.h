#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/streams/text_sink.h"
#include "model/measurement.h"

namespace warptune::db::recordings {

/// The maximum size of a recording's file, and of its unpacked text. It is 128 MiB, or as many MiB as the
/// environment variable WARPTUNE_RECORDING_MIB says. The largest known recording has 44 MB of text. Throws
/// `base::InputError` if the variable is not a number from 1 to 1048576.
std::size_t max_recording_bytes();

/// Reads a recording's file. Throws `base::InputError` with `path` if it cannot be read, or if it is larger
/// than `max_recording_bytes()`. It never reads more than that.
std::string read_recording_bytes(const std::filesystem::path& path);

/// Wraps `take`. The result throws `base::InputError` with `path` when it receives more than
/// `max_recording_bytes()` bytes in total.
base::streams::TextSink bounded(const std::filesystem::path& path, base::streams::TextSink take);

/// Adds up the memory of a recording's rows. A short text can become many values in memory, so the rows have
/// a limit of their own: 16 times `max_recording_bytes()`. This suffices for rows with 100 counters each.
class RowMemory {
 public:
  explicit RowMemory(const std::filesystem::path& path) : path_(path) {}
  /// Adds a row. Throws `base::InputError` with the file's name if the sum exceeds the limit.
  void add(const model::Measurement& row);

 private:
  std::filesystem::path path_;
  std::size_t limit_ = 16 * max_recording_bytes();
  std::size_t bytes_ = 0;
};

}  // namespace warptune::db::recordings
