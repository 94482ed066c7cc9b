#include "survey/injected/raw_writer.h"

#include <cstring>

namespace warptune::survey::injected {

using collecting::RawChunk;
using collecting::RawName;

namespace {

constexpr std::uint64_t kTotalsPeriod = 5'000'000'000;  // In nanoseconds.

}  // namespace

bool RawWriter::create(const char* folder, const collecting::RawHeader& header, std::uint64_t limit,
                       std::uint64_t keep_free) {
  limit_ = limit;
  return file_.create(folder, header, keep_free);
}

void RawWriter::text(RawChunk kind, const char* text, std::size_t length) {
  file_.write_text(kind, text, length);
}

std::uint32_t RawWriter::range_name(const char* text) {
  const std::uint32_t number = name(text, NameUse::kRange);
  return number == kNoNumber ? name(kFurtherRanges) : number;
}

std::uint32_t RawWriter::name(const char* text, NameUse use) {
  if (text == nullptr) text = "";
  const Interned interned = names_.intern(text, use);
  if (!interned.is_new) return interned.number;
  const std::string_view kept = names_.name(interned.number);
  const std::size_t bytes = sizeof(RawName) + collecting::raw_padded(kept.size());
  if (name_bytes_used_ + bytes > name_bytes_.size()) write_stages(true);
  if (name_bytes_used_ + bytes > name_bytes_.size()) {
    file_.give_up();
    name_bytes_used_ = 0;
    name_count_ = 0;
  }
  const RawName header{interned.number, static_cast<std::uint32_t>(kept.size())};
  char* const at = name_bytes_.data() + name_bytes_used_;
  std::memset(at, 0, bytes);
  std::memcpy(at, &header, sizeof(header));
  std::memcpy(at + sizeof(header), kept.data(), kept.size());
  name_bytes_used_ += bytes;
  ++name_count_;
  return interned.number;
}

std::uint32_t RawWriter::shape(const collecting::RawShape& shape) {
  const Interned interned = shapes_.intern(shape);
  if (!interned.is_new) return interned.number;
  make_room(shape_stage_);
  shape_stage_.records[shape_stage_.count++] = shape;
  return interned.number;
}

void RawWriter::add(const collecting::RawDevice& device) {
  if (device.name == kNoNumber) return;
  make_room(device_stage_);
  device_stage_.records[device_stage_.count++] = device;
}

void RawWriter::add(const collecting::RawContext& context) {
  make_room(context_stage_);
  context_stage_.records[context_stage_.count++] = context;
}

bool RawWriter::within_limit() {
  if (listed_ >= limit_) {
    ++counts_.left_out;
    return false;
  }
  ++listed_;
  return true;
}

template <class Record, std::size_t kCapacity>
void RawWriter::list(Stage<Record, kCapacity>& stage, const Record& record) {
  make_room(stage);
  stage.records[stage.count++] = record;
}

void RawWriter::add(const collecting::RawLaunch& launch) {
  if (launch.activity.detail == kNoNumber) {  // There is no room for its shape.
    ++counts_.unnamed;
    return;
  }
  if (within_limit()) {
    list(launch_stage_, launch);
    return;
  }
  const std::uint32_t shape = launch.activity.detail;
  while (totals_.size() <= shape) {
    if (!totals_.append({static_cast<std::uint32_t>(totals_.size()), 0, 0, 0})) return;
  }
  ++totals_[shape].count;
  totals_[shape].duration += launch.activity.end - launch.activity.start;
}

void RawWriter::add(const collecting::RawCopy& copy) {
  if (within_limit()) list(copy_stage_, copy);
}

void RawWriter::add(const collecting::RawFill& fill) {
  if (within_limit()) list(fill_stage_, fill);
}

void RawWriter::add(const collecting::RawCall& call) {
  if (call.name == kNoNumber) {
    ++counts_.unnamed;
  } else if (within_limit()) {
    list(call_stage_, call);
  }
}

void RawWriter::add(const collecting::RawMarker& marker) {
  if (marker.is_end == 0 && marker.name == kNoNumber) {
    ++counts_.unnamed;
  } else if (within_limit()) {
    list(marker_stage_, marker);
  }
}

template <class Record, std::size_t kCapacity>
void RawWriter::write_stage(RawChunk kind, Stage<Record, kCapacity>& stage, std::uint64_t counted) {
  if (stage.count == 0) return;
  if (!file_.write(kind, stage.count, stage.records.data(), stage.bytes()))
    counts_.unwritten += counted * stage.count;
  stage.count = 0;
}

template <class Record, std::size_t kCapacity>
void RawWriter::lose(Stage<Record, kCapacity>& stage) {
  counts_.unwritten += stage.count;
  stage.count = 0;
}

void RawWriter::write_stages(bool needs_room) {
  if (!file_.open(true)) {
    if (!needs_room) return;
    lose(launch_stage_);
    lose(copy_stage_);
    lose(fill_stage_);
    lose(call_stage_);
    lose(marker_stage_);
    return;
  }
  if (name_count_ > 0) file_.write(RawChunk::kNames, name_count_, name_bytes_.data(), name_bytes_used_);
  name_count_ = 0;
  name_bytes_used_ = 0;
  write_stage(RawChunk::kShapes, shape_stage_, 0);
  write_stage(RawChunk::kDevices, device_stage_, 0);
  write_stage(RawChunk::kContexts, context_stage_, 0);
  write_stage(RawChunk::kLaunches, launch_stage_, 1);
  write_stage(RawChunk::kCopies, copy_stage_, 1);
  write_stage(RawChunk::kFills, fill_stage_, 1);
  write_stage(RawChunk::kCalls, call_stage_, 1);
  write_stage(RawChunk::kMarkers, marker_stage_, 1);
  file_.close();
}

void RawWriter::write_totals(std::uint64_t now, bool last) {
  const bool lost = last && counts_.unwritten > 0;
  const std::uint64_t unlisted = counts_.left_out + counts_.unnamed;
  if (unlisted == totals_unlisted_ && !lost) return;
  if (!last && now - totals_written_at_ < kTotalsPeriod) return;
  counts_.time = now;
  file_.replace_totals(counts_, totals_.data(), static_cast<std::uint32_t>(totals_.size()));
  totals_written_at_ = now;
  totals_unlisted_ = unlisted;
}

void RawWriter::flush(std::uint64_t now) {
  write_stages(false);
  write_totals(now, false);
}

void RawWriter::end(std::uint64_t now, std::uint64_t unreturned) {
  counts_.unreturned = unreturned;
  write_stages(true);
  write_totals(now, true);
  counts_.time = now;
  const collecting::RawEnd end{counts_};
  if (!file_.open()) return;
  file_.write(RawChunk::kEnd, 1, &end, sizeof(end));
  file_.close();
}

}  // namespace warptune::survey::injected
