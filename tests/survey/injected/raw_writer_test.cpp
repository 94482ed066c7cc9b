#include "survey/injected/raw_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/files.h"
#include "survey/collecting/raw_process.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::injected {

namespace {

using collecting::RawProcess;

class RawWriterTest : public ::testing::Test {
 protected:
  static collecting::RawHeader header() {
    collecting::RawHeader header;
    header.size = sizeof(header);
    header.pid = 42;
    header.start = 1000;
    header.checksum = collecting::raw_checksum(&header, offsetof(collecting::RawHeader, checksum), 0);
    return header;
  }
  std::unique_ptr<RawWriter> writer(std::uint64_t limit = 1'000'000) const {
    auto writer = std::make_unique<RawWriter>();
    EXPECT_TRUE(writer->create(folder_.path().c_str(), header(), limit));
    return writer;
  }
  static void launch(RawWriter& writer, const std::string& name, std::uint32_t blocks, std::uint64_t start) {
    collecting::RawShape shape;
    shape.name = writer.name(name.c_str());
    shape.grid = {blocks, 1, 1};
    collecting::RawLaunch launch;
    launch.activity.start = start;
    launch.activity.end = start + 10;
    launch.activity.detail = writer.shape(shape);
    writer.add(launch);
  }
  RawProcess read(const std::string& name = "42-0") const {
    RawProcess process =
        collecting::read_raw_process(base::read_file(folder_ / (name + collecting::kRawSuffix))).value();
    const std::filesystem::path totals = folder_ / (name + collecting::kTotalsSuffix);
    if (std::filesystem::exists(totals)) collecting::add_raw_totals(process, base::read_file(totals));
    return process;
  }

  tests::TemporaryFolder folder_;
};

TEST_F(RawWriterTest, WritesWhatItIsGiven) {
  const auto writer = this->writer();
  writer->text(collecting::RawChunk::kCommand, "./app\0-x", 9);
  for (std::uint32_t i = 0; i < 20'000; ++i)
    launch(*writer, "kernel" + std::to_string(i % 700), i % 3000, 1000 + i);
  writer->add_dropped(3);
  writer->end(77'000, 0);
  const RawProcess process = read();
  EXPECT_EQ(process.problem, "");
  EXPECT_TRUE(process.ended);
  EXPECT_EQ(process.command, std::string("./app\0-x", 9));
  EXPECT_EQ(process.names.size(), 700U);
  ASSERT_EQ(process.launches.size(), 20'000U);
  EXPECT_EQ(process.counts.dropped, 3U);
  EXPECT_EQ(process.counts.time, 77'000U);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const collecting::RawShape& shape = process.shapes[process.launches[i].activity.detail];
    ASSERT_EQ(process.names[shape.name], "kernel" + std::to_string(i % 700));
    ASSERT_EQ(shape.grid[0], i % 3000);
  }
}

TEST_F(RawWriterTest, WhatIsFlushedIsThereWithoutAnEnd) {
  const auto writer = this->writer();
  launch(*writer, "kernel", 1, 1000);
  EXPECT_TRUE(read().launches.empty());
  writer->flush(2000);
  EXPECT_EQ(read().launches.size(), 1U);
  EXPECT_FALSE(read().ended);
}

TEST_F(RawWriterTest, TheSecondStreamOfAProcessHasAnotherName) {
  const auto first = writer();
  const auto second = writer();
  launch(*second, "kernel", 1, 1000);
  second->end(1, 0);
  first->end(1, 0);
  EXPECT_TRUE(read("42-0").launches.empty());
  EXPECT_EQ(read("42-1").launches.size(), 1U);
}

TEST_F(RawWriterTest, CountsWhatIsBeyondTheLimit) {
  const auto writer = this->writer(10);
  for (std::uint32_t i = 0; i < 40; ++i) launch(*writer, "kernel", i % 2, 1000 + i);
  writer->add(collecting::RawCall{});
  const std::size_t size_at_limit = std::filesystem::file_size(folder_ / "42-0.raw");
  writer->end(9000, 0);
  const RawProcess process = read();
  EXPECT_EQ(process.launches.size(), 10U);
  EXPECT_TRUE(process.calls.empty());
  EXPECT_EQ(process.counts.left_out, 31U);
  ASSERT_EQ(process.totals.size(), 2U);
  EXPECT_EQ(process.totals[0].count, 15U);
  EXPECT_EQ(process.totals[1].duration, 150U);
  EXPECT_LT(std::filesystem::file_size(folder_ / "42-0.raw"), size_at_limit + 2000);
}

// They are not beyond the limit of records: launches of known shapes are still listed.
TEST_F(RawWriterTest, LaunchesWithoutRoomForTheirShapeAreCountedAlone) {
  const auto writer = this->writer();
  constexpr std::uint32_t kRoom = 65536;
  for (std::uint32_t i = 0; i < kRoom + 3; ++i) launch(*writer, "kernel", i, 1000 + i);
  launch(*writer, "kernel", 5, 99'000);
  writer->flush(9'000'000'000);
  EXPECT_EQ(read().counts.unnamed, 3U) << "also if the process is killed";
  writer->end(9'000'000'000, 0);
  const RawProcess process = read();
  EXPECT_EQ(process.counts.unnamed, 3U);
  EXPECT_EQ(process.counts.left_out, 0U);
  EXPECT_EQ(process.launches.size(), kRoom + 1);
}

// A full disk: the file may not grow. The process goes on, and the stream ends with whole chunks.
TEST_F(RawWriterTest, AFileThatCannotGrowHasWholeChunks) {
  const auto writer = this->writer();
  launch(*writer, "kernel", 1, 1000);
  writer->flush(1);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const std::uintmax_t size = std::filesystem::file_size(folder_ / "42-0.raw");
  const rlimit low{size + 100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  for (std::uint32_t i = 0; i < 100; ++i) launch(*writer, "kernel", 1, 1000 + i);
  writer->flush(2);
  ::setrlimit(RLIMIT_FSIZE, &before);
  writer->end(3, 0);
  const RawProcess process = read();
  EXPECT_EQ(std::filesystem::file_size(folder_ / "42-0.raw"), size);
  EXPECT_EQ(process.launches.size(), 1U);
  EXPECT_EQ(process.problem, "");
  EXPECT_EQ(process.counts.unwritten, 100U);
}

// A program may use all descriptors for a while. The records of that time are lost, and no others.
TEST_F(RawWriterTest, GoesOnWhenTheFileCanBeOpenedAgain) {
  const auto writer = this->writer();
  launch(*writer, "first", 1, 1000);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (std::uint32_t i = 0; i < 8192; ++i) launch(*writer, "second", 2, 2000);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  launch(*writer, "third", 3, 3000);
  writer->end(4000, 0);
  const RawProcess process = read();
  EXPECT_TRUE(process.ended);
  EXPECT_FALSE(writer->gave_up());
  EXPECT_EQ(process.names.size(), 3U);
  EXPECT_EQ(process.counts.unwritten, 8192U);
  ASSERT_EQ(process.launches.size(), 2U);
  EXPECT_EQ(process.launches.back().activity.start, 3000U);
}

TEST_F(RawWriterTest, LeavesSpaceForOtherPrograms) {
  RawWriter writer;
  constexpr std::uint64_t kMoreThanAnyDisk = std::uint64_t{1} << 62U;
  ASSERT_TRUE(writer.create(folder_.path().c_str(), header(), 10, kMoreThanAnyDisk));
  launch(writer, "kernel", 1, 1000);
  writer.end(2000, 0);
  const RawProcess process = read();
  EXPECT_TRUE(process.launches.empty());
  EXPECT_EQ(process.problem, "");
  EXPECT_EQ(process.counts.unwritten, 1U);
}

TEST_F(RawWriterTest, NamesOfRangesLeaveRoomForOtherNames) {
  const auto writer = this->writer();
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    const std::uint32_t name = writer->range_name(("step " + std::to_string(i)).c_str());
    writer->add(collecting::RawMarker{2000 + i, i, 0, 1, name});
  }
  launch(*writer, "kernel", 1, 1000);
  writer->add(collecting::RawCall{1, 2, 3, 4, writer->name("cudaMalloc"), {}});
  writer->end(99'000, 0);
  const RawProcess process = read();
  EXPECT_EQ(process.problem, "");
  EXPECT_TRUE(process.ended);
  ASSERT_EQ(process.markers.size(), 70'000U);
  EXPECT_EQ(process.names[process.markers[30'000].name], "step 30000");
  EXPECT_EQ(process.names[process.markers.back().name], RawWriter::kFurtherRanges);
  EXPECT_EQ(process.launches.size(), 1U);
  EXPECT_EQ(process.calls.size(), 1U);
}

TEST_F(RawWriterTest, WhatHasNoNameIsCountedAlone) {
  const auto writer = this->writer();
  collecting::RawCall call;
  call.name = kNoNumber;
  writer->add(call);
  writer->add(collecting::RawMarker{1, 1, 0, 1, kNoNumber});
  collecting::RawDevice device;
  device.name = kNoNumber;
  writer->add(device);
  writer->end(1, 0);
  EXPECT_EQ(read().problem, "");
  EXPECT_EQ(read().counts.unnamed, 2U);
  EXPECT_EQ(read().counts.left_out, 0U);
}

TEST_F(RawWriterTest, WithoutItsFolderThereIsNoStream) {
  RawWriter writer;
  EXPECT_FALSE(writer.create("/nowhere/folder", header(), 10));
}

}  // namespace

}  // namespace warptune::survey::injected
