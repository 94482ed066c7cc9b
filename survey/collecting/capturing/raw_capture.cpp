#include "survey/collecting/capturing/raw_capture.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warptune::survey::collecting::capturing {

namespace {

template <class Record>
bool take_record(std::string_view& content, Record& record) {
  if (content.size() < sizeof(record)) return false;
  std::memcpy(&record, content.data(), sizeof(record));
  content.remove_prefix(sizeof(record));
  return true;
}

// Takes a text and its padding.
bool take_bytes(std::string_view& content, std::uint64_t bytes, std::string& taken) {
  if (bytes > content.size() || raw_padded(bytes) > content.size()) return false;
  taken.append(content.substr(0, bytes));
  content.remove_prefix(raw_padded(bytes));
  return true;
}

bool add_launch(RawCapture& capture, std::string_view content) {
  RawCapturedLaunch launch;
  if (capture.launch || !take_record(content, launch) || launch.buffers > kMaxCapturedBuffers ||
      launch.parameter_bytes > kMaxParameterBytes)
    return false;
  for (std::uint32_t i = 0; i < launch.parameters; ++i) {
    RawCapturedParameter parameter;
    if (!take_record(content, parameter) || parameter.offset > launch.parameter_bytes ||
        parameter.bytes > launch.parameter_bytes - parameter.offset)
      return false;
    capture.parameters.push_back(parameter);
  }
  if (!take_bytes(content, launch.parameter_bytes, capture.block) ||
      !take_bytes(content, launch.name_length, capture.kernel))
    return false;
  capture.launch = launch;
  return content.empty();
}

bool add_buffer(RawCapture& capture, std::string_view content) {
  RawCapture::Buffer buffer;
  if (capture.buffers.size() == kMaxCapturedBuffers || !take_record(content, buffer.record) ||
      !take_bytes(content, buffer.record.name_length, buffer.variable))
    return false;
  capture.buffers.push_back(std::move(buffer));
  return content.empty();
}

bool add_part(RawCapture& capture, std::string_view content) {
  RawCapturedPart part;
  if (!take_record(content, part) || part.buffer >= capture.buffers.size()) return false;
  RawCapture::Buffer& buffer = capture.buffers[part.buffer];
  std::string& contents = part.after == 0 ? buffer.before : buffer.after;
  if (part.offset != contents.size() || part.bytes > buffer.record.bytes - part.offset) return false;
  return take_bytes(content, part.bytes, contents) && content.empty();
}

bool add_image(RawCapture& capture, std::string_view content) {
  RawCapturedImage image;
  return capture.image.empty() && take_record(content, image) &&
         take_bytes(content, image.bytes, capture.image) && content.empty();
}

}  // namespace

bool RawCapture::complete() const {
  return launch && !image.empty() && launch->buffers == buffers.size() &&
         std::all_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
           return buffer.before.size() == buffer.record.bytes && buffer.after.size() == buffer.record.bytes;
         });
}

bool add_captured(RawCapture& capture, RawChunk kind, std::string_view content) {
  switch (kind) {
    case RawChunk::kCapturedLaunch:
      return add_launch(capture, content);
    case RawChunk::kCapturedBuffer:
      return add_buffer(capture, content);
    case RawChunk::kCapturedPart:
      return add_part(capture, content);
    case RawChunk::kCapturedImage:
      return add_image(capture, content);
    case RawChunk::kCapturedTotals:
      return take_record(content, capture.totals);
    default:
      return false;
  }
}

}  // namespace warptune::survey::collecting::capturing
