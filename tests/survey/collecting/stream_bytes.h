// Raw streams, made by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "survey/collecting/raw_stream.h"

namespace warptune::survey::collecting {

/// The bytes of a stream.
class StreamBytes {
 public:
  explicit StreamBytes(std::int64_t pid, std::uint64_t start = 1000) {
    RawHeader header;
    header.size = sizeof(header);
    header.pid = pid;
    header.start = start;
    header.driver_version = 13000;
    header.cupti_version = 130001;
    header.checksum = raw_checksum(&header, offsetof(RawHeader, checksum), 0);
    bytes_.assign(reinterpret_cast<const char*>(&header), sizeof(header));
  }

  template <class Record>
  StreamBytes& add(RawChunk kind, const std::vector<Record>& records) {
    const std::string_view content(reinterpret_cast<const char*>(records.data()),
                                   records.size() * sizeof(Record));
    return add_chunk(static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(records.size()), content);
  }
  StreamBytes& text(RawChunk kind, const std::string& text) {
    std::string padded = text;
    padded.resize(raw_padded(text.size()));
    return add_chunk(static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(text.size()), padded);
  }
  StreamBytes& names(const std::vector<std::string>& names) {
    std::string content;
    for (const std::string& name : names) {
      const RawName header{names_++, static_cast<std::uint32_t>(name.size())};
      content.append(reinterpret_cast<const char*>(&header), sizeof(header));
      std::string padded = name;
      padded.resize(raw_padded(name.size()));
      content += padded;
    }
    return add_chunk(static_cast<std::uint32_t>(RawChunk::kNames), static_cast<std::uint32_t>(names.size()),
                     content);
  }
  StreamBytes& end(const RawCounts& counts = {}) {
    return add(RawChunk::kEnd, std::vector<RawEnd>{RawEnd{counts}});
  }
  StreamBytes& add_chunk(std::uint32_t kind, std::uint32_t count, std::string_view content) {
    const RawChunkHeader header{kind, count, content.size(),
                                raw_checksum(content.data(), content.size(), raw_seed(kind, count))};
    bytes_.append(reinterpret_cast<const char*>(&header), sizeof(header));
    bytes_.append(content);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::uint32_t names_ = 0;
};

inline RawActivity raw_activity(std::uint64_t start, std::uint64_t end, std::uint32_t correlation,
                                std::uint32_t detail = 0, std::uint32_t stream = 7) {
  RawActivity activity;
  activity.start = start;
  activity.end = end;
  activity.context = 1;
  activity.stream = stream;
  activity.correlation = correlation;
  activity.detail = detail;
  return activity;
}

inline RawShape raw_shape(std::uint32_t name, std::uint32_t blocks) {
  RawShape shape;
  shape.name = name;
  shape.grid = {blocks, 1, 1};
  shape.block = {128, 1, 1};
  return shape;
}

inline RawCall raw_call(std::uint64_t start, std::uint64_t end, std::uint32_t correlation, std::uint32_t name,
                        std::uint32_t thread = 5, CallPurpose purpose = CallPurpose::kLaunch) {
  return {start, end, thread, correlation, name, purpose};
}

/// A stream with something of each kind: two kernels of two shapes, a copy, a fill, a range, a GPU and its
/// context. It also has two calls; the driver's is within the runtime's.
inline StreamBytes whole_stream(std::int64_t pid) {
  StreamBytes stream(pid);
  RawDevice device;
  device.name = 3;
  device.compute_major = 9;
  device.sm_count = 132;
  device.warp_size = 32;
  device.max_warps_per_sm = 64;
  device.uuid[15] = 0xAB;
  RawCopy copy{raw_activity(3000, 3500, 21, 11), 4096, 1, 1, 3, 1, 0};
  stream.text(RawChunk::kCommand, std::string("./app\0--fast\0", 13))
      .names({"_Z3addPf", "cudaLaunchKernel", "cuLaunchKernel", "A GPU", "step"})
      .add(RawChunk::kShapes, std::vector{raw_shape(0, 10), raw_shape(0, 20)})
      .add(RawChunk::kDevices, std::vector{device})
      .add(RawChunk::kContexts, std::vector{RawContext{1, 0, 7, 0}})
      .add(RawChunk::kLaunches, std::vector{RawLaunch{raw_activity(2500, 2600, 11, 1)},
                                            RawLaunch{raw_activity(2100, 2200, 12, 0, 13)}})
      .add(RawChunk::kCopies, std::vector{copy})
      .add(RawChunk::kFills, std::vector{RawFill{raw_activity(3600, 3700, 99, 3), 64}})
      .add(RawChunk::kCalls, std::vector{raw_call(2010, 2050, 12, 2), raw_call(2000, 2090, 11, 1)})
      .add(RawChunk::kMarkers, std::vector{RawMarker{1500, 1, 0, 5, 4}, RawMarker{4000, 1, 1, 5, 0xFFFFFFFF}})
      .end({5000, 2, 0, 0, 0});
  return stream;
}

}  // namespace warptune::survey::collecting
