#include "survey/collecting/capturing/raw_capture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace warptune::survey::collecting::capturing {

namespace {

template <class Record>
std::string bytes_of(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof(record)};
}

std::string padded(std::string text) {
  text.resize(raw_padded(text.size()));
  return text;
}

std::string part(std::uint32_t after, std::uint64_t offset, const std::string& contents) {
  return bytes_of(RawCapturedPart{0, after, offset, contents.size()}) + padded(contents);
}

RawCapture with_buffer(std::uint64_t bytes) {
  RawCapture capture;
  RawCapturedLaunch launch;
  launch.parameters = 1;
  launch.parameter_bytes = 8;
  launch.name_length = 3;
  launch.buffers = 1;
  const std::string content =
      bytes_of(launch) + bytes_of(RawCapturedParameter{0, 8}) + "12345678" + padded("add");
  EXPECT_TRUE(add_captured(capture, RawChunk::kCapturedLaunch, content));
  EXPECT_TRUE(
      add_captured(capture, RawChunk::kCapturedBuffer, bytes_of(RawCapturedBuffer{4096, bytes, 0, 0})));
  return capture;
}

TEST(RawCaptureTest, IsCompleteWithCodeAndAllContents) {
  RawCapture capture = with_buffer(10);
  EXPECT_EQ(capture.kernel, "add");
  EXPECT_EQ(capture.block, "12345678");
  EXPECT_TRUE(add_captured(capture, RawChunk::kCapturedPart, part(0, 0, "before")));
  EXPECT_TRUE(add_captured(capture, RawChunk::kCapturedPart, part(0, 6, "more")));
  EXPECT_TRUE(add_captured(capture, RawChunk::kCapturedPart, part(1, 0, "beforeless")));
  EXPECT_FALSE(capture.complete());
  EXPECT_TRUE(add_captured(capture, RawChunk::kCapturedImage, bytes_of(RawCapturedImage{3}) + padded("ELF")));
  EXPECT_TRUE(capture.complete());
  EXPECT_EQ(capture.buffers[0].before, "beforemore");
  EXPECT_EQ(capture.image, "ELF");
}

TEST(RawCaptureTest, RefusesWhatDoesNotFit) {
  RawCapture capture = with_buffer(10);
  EXPECT_FALSE(add_captured(capture, RawChunk::kCapturedPart, part(0, 4, "gap")));
  EXPECT_FALSE(add_captured(capture, RawChunk::kCapturedPart, part(0, 0, "longer than it")));
  std::string cut = part(0, 0, "before");
  cut.resize(cut.size() - 4);
  EXPECT_FALSE(add_captured(capture, RawChunk::kCapturedPart, cut));
  EXPECT_FALSE(add_captured(capture, RawChunk::kCapturedPart, bytes_of(RawCapturedPart{7, 0, 0, 0})));
  RawCapturedLaunch launch;
  launch.parameters = 1;
  launch.parameter_bytes = 4;
  RawCapture other;
  EXPECT_FALSE(add_captured(other, RawChunk::kCapturedLaunch,
                            bytes_of(launch) + bytes_of(RawCapturedParameter{0, 8}) + padded("1234")));
  EXPECT_FALSE(add_captured(other, RawChunk::kCapturedLaunch, "short"));
}

}  // namespace

}  // namespace warptune::survey::collecting::capturing
