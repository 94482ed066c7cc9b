// Collects the records of this process and writes them into its stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "survey/collecting/raw_stream.h"
#include "survey/injected/interning.h"
#include "survey/injected/raw_file.h"

namespace warptune::survey::injected {

/// Records of one kind that are not written yet.
template <class Record, std::size_t kCapacity>
struct Stage {
  std::array<Record, kCapacity> records;
  std::uint32_t count = 0;

  bool full() const { return count == kCapacity; }
  std::size_t bytes() const { return count * sizeof(Record); }
};

/// The writer of one process. The caller sees to it that one thread at a time uses it. It is large, so it is
/// allocated once, with zeros.
class RawWriter {
 public:
  /// Creates the stream. `limit` is the number of records that are listed. `keep_free` is that of `RawFile`.
  bool create(const char* folder, const collecting::RawHeader& header, std::uint64_t limit,
              std::uint64_t keep_free = 0);
  void text(collecting::RawChunk kind, const char* text, std::size_t length);

  /// The number of a name or of a shape. It is `kNoNumber` if there is no room for another one, or no memory.
  std::uint32_t name(const char* text, NameUse use = NameUse::kOther);
  /// The number of a range's name. If there is no room for another one, it is that of `kFurtherRanges`.
  std::uint32_t range_name(const char* text);
  std::uint32_t shape(const collecting::RawShape& shape);

  void add(const collecting::RawDevice& device);
  void add(const collecting::RawContext& context);
  // Records beyond the limit, and those whose name has no number, are counted. Launches are also counted by
  // shape.
  void add(const collecting::RawLaunch& launch);
  void add(const collecting::RawCopy& copy);
  void add(const collecting::RawFill& fill);
  void add(const collecting::RawCall& call);
  void add(const collecting::RawMarker& marker);
  void add_dropped(std::uint64_t records) { counts_.dropped += records; }

  /// Writes what is staged. `now` is the time of CLOCK_MONOTONIC.
  void flush(std::uint64_t now);
  /// Writes all, and the record of the end. `unreturned` is the member of `RawCounts`.
  void end(std::uint64_t now, std::uint64_t unreturned);
  /// Nothing more can be written.
  bool gave_up() const { return file_.broken(); }

  /// What ranges are called whose own names have no room.
  static constexpr const char* kFurtherRanges = "(further NVTX names)";

 private:
  template <class StageType>
  void make_room(StageType& stage) {
    if (stage.full()) write_stages(true);
    if (!stage.full()) return;
    file_.give_up();  // Without this table, what follows has no meaning.
    stage.count = 0;
  }
  template <class Record, std::size_t kCapacity>
  void list(Stage<Record, kCapacity>& stage, const Record& record);
  bool within_limit();
  /// Opens the file and writes all stages. If the file cannot be opened, all is kept for the next time. If
  /// room is needed now, the tables alone are kept, and the records are counted as lost.
  void write_stages(bool needs_room);
  template <class Record, std::size_t kCapacity>
  void lose(Stage<Record, kCapacity>& stage);
  template <class Record, std::size_t kCapacity>
  void write_stage(collecting::RawChunk kind, Stage<Record, kCapacity>& stage, std::uint64_t counted);
  void write_totals(std::uint64_t now, bool last);

  RawFile file_;
  NameTable names_;
  ShapeTable shapes_;
  std::uint64_t limit_ = 0;
  std::uint64_t listed_ = 0;
  collecting::RawCounts counts_;
  GrowingArray<collecting::RawTotal> totals_;
  std::uint64_t totals_written_at_ = 0;
  std::uint64_t totals_unlisted_ = 0;  ///< `left_out` and `unnamed` when they were written.

  std::array<char, 131072> name_bytes_{};
  std::size_t name_bytes_used_ = 0;
  std::uint32_t name_count_ = 0;
  Stage<collecting::RawShape, 512> shape_stage_;
  Stage<collecting::RawDevice, 16> device_stage_;
  Stage<collecting::RawContext, 64> context_stage_;
  Stage<collecting::RawLaunch, 8192> launch_stage_;
  Stage<collecting::RawCopy, 2048> copy_stage_;
  Stage<collecting::RawFill, 2048> fill_stage_;
  Stage<collecting::RawCall, 8192> call_stage_;
  Stage<collecting::RawMarker, 4096> marker_stage_;
};

}  // namespace warptune::survey::injected
