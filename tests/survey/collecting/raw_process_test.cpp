#include "survey/collecting/raw_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/survey/collecting/stream_bytes.h"

namespace warptune::survey::collecting {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RawProcessTest, ReadsEveryKindOfRecord) {
  const std::optional<RawProcess> process = read_raw_process(whole_stream(42).bytes());
  ASSERT_TRUE(process);
  EXPECT_EQ(process->header.pid, 42);
  EXPECT_EQ(process->header.driver_version, 13000);
  EXPECT_EQ(process->command, std::string("./app\0--fast\0", 13));
  EXPECT_THAT(process->names, ElementsAre("_Z3addPf", "cudaLaunchKernel", "cuLaunchKernel", "A GPU", "step"));
  EXPECT_EQ(process->shapes.size(), 2U);
  EXPECT_EQ(process->devices.size(), 1U);
  EXPECT_EQ(process->contexts.size(), 1U);
  EXPECT_EQ(process->launches.size(), 2U);
  EXPECT_EQ(process->copies.size(), 1U);
  EXPECT_EQ(process->copies[0].bytes, 4096U);
  EXPECT_EQ(process->fills.size(), 1U);
  EXPECT_EQ(process->calls.size(), 2U);
  EXPECT_EQ(process->markers.size(), 2U);
  EXPECT_EQ(process->counts.dropped, 2U);
  EXPECT_TRUE(process->ended);
  EXPECT_EQ(process->problem, "");
}

TEST(RawProcessTest, AcceptsATailThatIsCutOff) {
  const std::string bytes = whole_stream(42).bytes();
  std::size_t launches_before = 0;
  for (std::size_t size = sizeof(RawHeader); size < bytes.size(); ++size) {
    const std::optional<RawProcess> process = read_raw_process(std::string_view(bytes).substr(0, size));
    ASSERT_TRUE(process) << size;
    EXPECT_FALSE(process->ended) << size;
    EXPECT_EQ(process->problem, "") << size;
    EXPECT_GE(process->launches.size(), launches_before) << size;
    launches_before = process->launches.size();
  }
  EXPECT_EQ(launches_before, 2U);
  for (std::size_t size = 0; size < sizeof(RawHeader); ++size) {
    EXPECT_FALSE(read_raw_process(std::string_view(bytes).substr(0, size))) << size;
  }
}

// Every byte of a stream is covered by a checksum, or is a length whose change is seen.
TEST(RawProcessTest, SeesEveryFlippedBit) {
  const std::string intact = whole_stream(42).bytes();
  const std::optional<RawProcess> expected = read_raw_process(intact);
  for (std::size_t bit = 0; bit < 8 * intact.size(); ++bit) {
    std::string bytes = intact;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    const std::optional<RawProcess> process = read_raw_process(bytes);
    if (bit < 8 * sizeof(RawHeader)) {
      EXPECT_FALSE(process) << bit;
      continue;
    }
    ASSERT_TRUE(process) << bit;
    // A length that became larger looks like a chunk that is cut off.
    EXPECT_TRUE(!process->problem.empty() || !process->ended) << bit;
    EXPECT_LE(process->launches.size(), expected->launches.size()) << bit;
  }
}

// Their checksums are right, so that their content is looked at.
TEST(RawProcessTest, SurvivesRandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto kind = static_cast<std::uint32_t>(1 + random() % 14);
    std::string content(8 * (random() % 20), '\0');
    for (char& byte : content) byte = static_cast<char>(random());
    StreamBytes stream(42);
    stream.add_chunk(kind, static_cast<std::uint32_t>(random() % 8), content);
    const std::optional<RawProcess> process = read_raw_process(stream.bytes());
    ASSERT_TRUE(process);
    for (const RawLaunch& launch : process->launches)
      EXPECT_LT(launch.activity.detail, process->shapes.size());
    for (const RawCall& call : process->calls) EXPECT_LT(call.name, process->names.size());
  }
}

TEST(RawProcessTest, RefusesNumbersOutsideOfTheirTables) {
  const auto problem_of = [](const StreamBytes& stream) {
    return read_raw_process(stream.bytes()).value().problem;
  };
  const auto with_name = [] { return StreamBytes(1).names({"one"}); };
  EXPECT_THAT(problem_of(with_name().add(RawChunk::kShapes, std::vector{raw_shape(1, 1)})),
              HasSubstr("damaged"));
  EXPECT_THAT(problem_of(with_name().add(RawChunk::kLaunches, std::vector{RawLaunch{raw_activity(1, 2, 3)}})),
              HasSubstr("damaged"));
  EXPECT_THAT(problem_of(with_name().add(RawChunk::kCalls, std::vector{raw_call(1, 2, 3, 9)})),
              HasSubstr("damaged"));
  EXPECT_THAT(problem_of(with_name().add(RawChunk::kMarkers, std::vector{RawMarker{1, 1, 0, 1, 4}})),
              HasSubstr("damaged"));
  EXPECT_THAT(problem_of(with_name().add(RawChunk::kDevices, std::vector{RawDevice{0, 7}})),
              HasSubstr("damaged"));
  EXPECT_THAT(problem_of(with_name().add(RawChunk::kCalls,
                                         std::vector{raw_call(1, 2, 3, 0, 5, static_cast<CallPurpose>(77))})),
              HasSubstr("damaged"));
  EXPECT_EQ(problem_of(with_name().add(RawChunk::kCalls, std::vector{raw_call(1, 2, 3, 0)})), "");
}

TEST(RawProcessTest, RefusesTimesThatGoBackwards) {
  StreamBytes stream(1);
  stream.add(RawChunk::kFills, std::vector{RawFill{raw_activity(20, 10, 1), 8}});
  const std::optional<RawProcess> process = read_raw_process(stream.bytes());
  EXPECT_THAT(process.value().problem, HasSubstr("damaged"));
  EXPECT_TRUE(process->fills.empty());
}

TEST(RawProcessTest, SkipsKindsOfALaterVersion) {
  StreamBytes stream(1);
  stream.add_chunk(900, 3, std::string(16, 'x')).names({"one"});
  const std::optional<RawProcess> process = read_raw_process(stream.bytes());
  EXPECT_EQ(process.value().problem, "");
  EXPECT_THAT(process->names, ElementsAre("one"));
}

TEST(RawProcessTest, RefusesANewerVersion) {
  std::string bytes = StreamBytes(1).bytes();
  RawHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.version = kRawVersion + 1;
  header.checksum = raw_checksum(&header, offsetof(RawHeader, checksum), 0);
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_FALSE(read_raw_process(bytes));
}

TEST(RawProcessTest, TakesTotalsFromTheStreamBesideIt) {
  RawProcess process = read_raw_process(whole_stream(42).bytes()).value();
  StreamBytes totals(42);
  totals.add(RawChunk::kCounts, std::vector{RawCounts{9000, 1, 30, 0, 0}})
      .add(RawChunk::kTotals,
           std::vector{RawTotal{0, 0, 0, 0}, RawTotal{1, 0, 30, 4000}, RawTotal{9, 0, 1, 1}});
  add_raw_totals(process, totals.bytes());
  ASSERT_EQ(process.totals.size(), 1U);  // The first has no launches, and there is no shape 9.
  EXPECT_EQ(process.totals[0].shape, 1U);
  EXPECT_EQ(process.totals[0].count, 30U);
  EXPECT_EQ(process.counts.left_out, 0U);  // The record of the end is newer.

  RawProcess cut_off = read_raw_process(whole_stream(42).bytes()).value();
  cut_off.ended = false;
  add_raw_totals(cut_off, totals.bytes());
  EXPECT_EQ(cut_off.counts.left_out, 30U);

  RawProcess other = read_raw_process(whole_stream(43).bytes()).value();
  add_raw_totals(other, totals.bytes());
  EXPECT_TRUE(other.totals.empty());
}

}  // namespace

}  // namespace warptune::survey::collecting
