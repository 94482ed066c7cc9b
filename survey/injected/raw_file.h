// Appends chunks to a file that no file descriptor stays open for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "survey/collecting/raw_stream.h"

namespace warptune::survey::injected {

/// A stream's file. The surveyed program may close descriptors that are not its own, and open files of its
/// own under the same numbers. So the file is opened for each group of chunks, and closed after it.
class RawFile {
 public:
  /// Creates `FOLDER/PID-COUNTER.raw` with the first counter that is free, and writes the header.
  /// Records are written only while the file system has `keep_free` bytes for other programs. 0: 256 MiB, but
  /// at most half of what is free now.
  bool create(const char* folder, const collecting::RawHeader& header, std::uint64_t keep_free = 0);
  /// Opens the file for chunks. Returns false if that is not possible now, or if `for_records` and too little
  /// space is free.
  bool open(bool for_records = false);
  /// Writes a chunk. On failure, it removes what it wrote of the chunk and returns false. All later calls
  /// return false, too.
  bool write(collecting::RawChunk kind, std::uint32_t count, const void* data, std::size_t bytes);
  /// Opens the file, writes a chunk of at most 8192 bytes of text, and closes the file.
  void write_text(collecting::RawChunk kind, const char* text, std::size_t length);
  void close();
  bool broken() const { return broken_; }
  /// All later writes fail.
  void give_up() { broken_ = true; }

  /// Replaces the stream of totals beside the file by one with these two chunks.
  bool replace_totals(const collecting::RawCounts& counts, const collecting::RawTotal* totals,
                      std::uint32_t count);

 private:
  bool write_chunk(int file, collecting::RawChunk kind, std::uint32_t count, const void* data,
                   std::size_t bytes) const;

  std::array<char, 4352> path_{};
  std::array<char, 4352> totals_path_{};
  std::array<char, 4352> new_totals_path_{};
  collecting::RawHeader header_;
  std::uint64_t keep_free_ = 0;
  int file_ = -1;
  bool broken_ = false;
};

}  // namespace warptune::survey::injected
