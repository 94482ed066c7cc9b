#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "model/measurement.h"

namespace warptune::db::recordings {

/// Takes a text piece by piece, as it is unpacked.
using TextSink = std::function<void(std::string_view piece)>;

/// The most bytes that the file of a recording, and its unpacked text, may have: 128 MiB, or as many MiB as
/// the variable WARPTUNE_RECORDING_MIB says. The largest known recording has 44 MB of text. Throws
/// `base::InputError` where the variable is no number of 1 to 1048576.
std::size_t max_recording_bytes();

/// The bytes of a recording's file. Throws `base::InputError` naming it where it cannot be read or is too
/// large; reads no more than that.
std::string read_recording_bytes(const std::filesystem::path& path);

/// `take`, which throws the `base::InputError` that names `path` instead of taking more than
/// `max_recording_bytes()`.
TextSink bounded(const std::filesystem::path& path, TextSink take);

/// Adds up the memory that the rows of a recording take. Short text can stand for many values, so what a file
/// holds has a limit of its own: 16 times `max_recording_bytes()`, which is more than rows with 100 counters
/// each take.
class RowMemory {
 public:
  explicit RowMemory(const std::filesystem::path& path) : path_(path) {}
  /// Throws the `base::InputError` that names the file where it is too much.
  void add(const model::Measurement& row);

 private:
  std::filesystem::path path_;
  std::size_t limit_ = 16 * max_recording_bytes();
  std::size_t bytes_ = 0;
};

}  // namespace warptune::db::recordings
