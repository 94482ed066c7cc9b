#include "survey/collecting/raw_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "survey/records/survey_file.h"
#include "tests/survey/collecting/stream_bytes.h"
#include "tests/temporary_folder.h"

namespace warptune::survey::collecting {

namespace {

using records::CopyDirection;
using records::MemoryKind;
using records::ProcessEnd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RawReaderTest : public ::testing::Test {
 protected:
  RawReaderTest() {
    streams_.folder = folder_.path();
    streams_.began = 1000;
    streams_.ended = 10'000;
    streams_.window_start = 1000;
    streams_.is_running = [](std::int64_t) { return false; };
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  records::Survey read() const { return read_raw_streams(streams_); }

  tests::TemporaryFolder folder_;
  RawStreams streams_;
};

TEST_F(RawReaderTest, ReadsOneProcess) {
  write("42-0.raw", whole_stream(42).bytes());
  const records::Survey survey = read();
  ASSERT_EQ(survey.processes.size(), 1U);
  EXPECT_EQ(survey.processes[0].pid, 42);
  EXPECT_EQ(survey.processes[0].command, "./app --fast");
  EXPECT_EQ(survey.processes[0].time, (records::Interval{0, 4000}));
  EXPECT_EQ(survey.processes[0].dropped, 2);
  EXPECT_EQ(survey.processes[0].end, ProcessEnd::kExited);
  EXPECT_EQ(survey.processes[0].problem, "");
  ASSERT_EQ(survey.launches.size(), 2U);  // In the order of their start.
  EXPECT_EQ(survey.launches[0].time, (records::Interval{1100, 1200}));
  EXPECT_EQ(survey.launches[1].time, (records::Interval{1500, 1600}));
  EXPECT_EQ(survey.names[survey.shapes[survey.launches[0].shape].name], "add(float*)");
  EXPECT_EQ(survey.shapes[survey.launches[0].shape].grid[0], 10U);
  EXPECT_EQ(survey.run.window, (records::Interval{0, 9000}));
}

TEST_F(RawReaderTest, WorkBelongsToTheOuterCallThatGaveIt) {
  write("42-0.raw", whole_stream(42).bytes());
  const records::Survey survey = read();
  ASSERT_EQ(survey.calls.size(), 1U);
  EXPECT_EQ(survey.names[survey.calls[0].name], "cudaLaunchKernel");
  EXPECT_EQ(survey.calls[0].kind, records::CallKind::kLaunch);
  EXPECT_EQ(survey.calls[0].thread, 5U);
  for (const records::Launch& launch : survey.launches) EXPECT_EQ(launch.call, 0U);
  ASSERT_EQ(survey.copies.size(), 1U);
  EXPECT_EQ(survey.copies[0].call, 0U);  // By the runtime's correlation: its own is unknown.
  ASSERT_EQ(survey.fills.size(), 1U);
  EXPECT_EQ(survey.fills[0].call, records::kNone);
}

TEST_F(RawReaderTest, ReadsKindsOfCopiesAndFills) {
  write("42-0.raw", whole_stream(42).bytes());
  const records::Survey survey = read();
  EXPECT_EQ(survey.copies[0].direction, CopyDirection::kHostToDevice);
  EXPECT_EQ(survey.copies[0].source, MemoryKind::kPageable);
  EXPECT_EQ(survey.copies[0].destination, MemoryKind::kDevice);
  EXPECT_TRUE(survey.copies[0].asynchronous);
  EXPECT_EQ(survey.fills[0].bytes, 64U);
  EXPECT_EQ(survey.fills[0].destination, MemoryKind::kDevice);
}

TEST_F(RawReaderTest, ReadsDevicesStreamsAndRanges) {
  write("42-0.raw", whole_stream(42).bytes());
  const records::Survey survey = read();
  ASSERT_EQ(survey.devices.size(), 1U);
  EXPECT_EQ(survey.devices[0].gpu.name, "A GPU");
  EXPECT_EQ(survey.devices[0].gpu.sm_count, 132);
  EXPECT_EQ(survey.devices[0].gpu.max_threads_per_sm, 2048);
  EXPECT_EQ(survey.devices[0].gpu.shared_bytes_per_block_optin, 232448);  // Compute capability 9.0 has it.
  EXPECT_EQ(survey.devices[0].uuid, "GPU-00000000-0000-0000-0000-0000000000ab");
  ASSERT_EQ(survey.streams.size(), 2U);
  EXPECT_EQ(survey.streams[survey.launches[1].stream].number, 7U);
  EXPECT_TRUE(survey.streams[survey.launches[1].stream].is_default);
  EXPECT_FALSE(survey.streams[survey.launches[0].stream].is_default);
  ASSERT_EQ(survey.ranges.size(), 1U);
  EXPECT_EQ(survey.ranges[0].time, (records::Interval{500, 3000}));
  EXPECT_EQ(survey.names[survey.ranges[0].name], "step");
}

TEST_F(RawReaderTest, JoinsProcesses) {
  write("42-0.raw", whole_stream(42).bytes());
  write("43-0.raw", whole_stream(43).bytes());
  const records::Survey survey = read();
  EXPECT_EQ(survey.processes.size(), 2U);
  EXPECT_EQ(survey.devices.size(), 1U);
  EXPECT_EQ(survey.shapes.size(), 2U);
  EXPECT_EQ(survey.streams.size(), 4U);
  ASSERT_EQ(survey.calls.size(), 2U);
  ASSERT_EQ(survey.launches.size(), 4U);
  for (const records::Launch& launch : survey.launches)
    EXPECT_EQ(survey.calls[launch.call].process, survey.streams[launch.stream].process);
  EXPECT_EQ(survey.launches[0].time.start, survey.launches[1].time.start);
  EXPECT_EQ(survey.launches[0].shape, survey.launches[1].shape);
}

TEST_F(RawReaderTest, ADeviceWithoutARecordHasItsNumberAsName) {
  StreamBytes stream(7);
  stream.add(RawChunk::kFills, std::vector{RawFill{raw_activity(2000, 2100, 1), 8}}).end();
  write("7-0.raw", stream.bytes());
  EXPECT_EQ(read().devices.at(0).gpu.name, "GPU 0");
}

TEST_F(RawReaderTest, KeepsWhatOverlapsTheWindow) {
  streams_.window_start = 2550;
  streams_.window_stop = 3600;
  write("42-0.raw", whole_stream(42).bytes());
  const records::Survey survey = read();
  ASSERT_EQ(survey.launches.size(), 1U);
  EXPECT_EQ(survey.launches[0].time, (records::Interval{1500, 1600}));
  EXPECT_EQ(survey.launches[0].call, records::kNone);  // Its call was before.
  EXPECT_EQ(survey.copies.size(), 1U);
  EXPECT_TRUE(survey.fills.empty());  // It starts when the window stops.
  EXPECT_TRUE(survey.calls.empty());
  EXPECT_EQ(survey.run.window, (records::Interval{1550, 2600}));
}

TEST_F(RawReaderTest, LeavesOutTimesThatCannotBe) {
  StreamBytes stream(7);
  stream.add(RawChunk::kFills, std::vector{RawFill{raw_activity(2000, 2100, 1), 8},
                                           RawFill{raw_activity(1'000'000'000'000, 1'000'000'000'001, 1), 8},
                                           RawFill{raw_activity(1, 2, 1), 8}});
  write("7-0.raw", stream.end().bytes());
  const records::Survey survey = read();
  EXPECT_EQ(survey.fills.size(), 1U);
  EXPECT_EQ(survey.processes[0].time, (records::Interval{0, 9000}));
}

TEST_F(RawReaderTest, LeavesOutTimesThatBeginBeforeTheSurveyOrEndAfterIt) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  streams_.began = streams_.window_start = 100 * kSecond;
  streams_.ended = 110 * kSecond;
  StreamBytes stream(7);
  stream.add(RawChunk::kFills,
             std::vector{RawFill{raw_activity(0, 105 * kSecond, 1), 8},  // Its start is unknown.
                         RawFill{raw_activity(105 * kSecond, std::uint64_t{1} << 61U, 1), 8},
                         RawFill{raw_activity(105 * kSecond, 106 * kSecond, 1), 8}});
  write("7-0.raw", stream.end().bytes());
  const records::Survey survey = read();
  ASSERT_EQ(survey.fills.size(), 1U);
  EXPECT_EQ(survey.fills[0].time.duration(), std::int64_t{kSecond});
}

TEST_F(RawReaderTest, SaysHowProcessesEnded) {
  StreamBytes replaced(40);
  StreamBytes killed(41);
  StreamBytes running(43);
  StreamBytes left(44);
  write("40-0.raw", replaced.bytes());
  write("40-1.raw", StreamBytes(40).end().bytes());
  write("41-0.raw", killed.bytes());
  write("43-0.raw", running.bytes());
  write("44-0.raw", left.bytes());
  streams_.program = 44;
  streams_.is_running = [](std::int64_t pid) { return pid == 43; };
  const records::Survey survey = read();
  std::vector<ProcessEnd> ends;
  for (const records::Process& process : survey.processes) ends.push_back(process.end);
  EXPECT_THAT(ends, ElementsAre(ProcessEnd::kExited, ProcessEnd::kExited, ProcessEnd::kKilled,
                                ProcessEnd::kStillRunning, ProcessEnd::kExited));
  EXPECT_THAT(survey.processes[0].problem, HasSubstr("exec"));
  EXPECT_EQ(survey.processes[1].problem, "");
  EXPECT_THAT(survey.processes[2].problem, HasSubstr("last records"));
  EXPECT_THAT(survey.processes[3].problem, HasSubstr("still running"));
  EXPECT_THAT(survey.processes[4].problem, HasSubstr("_exit"));
  streams_.program_was_killed = true;
  EXPECT_EQ(read().processes[4].end, ProcessEnd::kKilled);
}

TEST_F(RawReaderTest, CountsLaunchesBeyondTheLimit) {
  StreamBytes stream(7);
  stream.names({"kernel"}).add(RawChunk::kShapes, std::vector{raw_shape(0, 1)}).end({5000, 0, 12, 0, 0});
  StreamBytes totals(7);
  totals.add(RawChunk::kCounts, std::vector{RawCounts{5000, 0, 12, 0, 0}})
      .add(RawChunk::kTotals, std::vector{RawTotal{0, 0, 10, 3000}});
  write("7-0.raw", stream.bytes());
  write("7-0.totals", totals.bytes());
  const records::Survey survey = read();
  EXPECT_EQ(survey.processes[0].left_out, 12);
  EXPECT_THAT(survey.unlisted, ElementsAre(records::UnlistedLaunches{0, 0, 10, 3000}));
}

TEST_F(RawReaderTest, CountsRecordsWithoutRoomForTheirNames) {
  write("7-0.raw", StreamBytes(7).end({5000, 0, 0, 0, 0, 4}).bytes());
  EXPECT_EQ(read().processes[0].unnamed, 4);
  EXPECT_EQ(read().processes[0].left_out, 0);
}

TEST_F(RawReaderTest, SaysThatRecordsCouldNotBeWritten) {
  write("7-0.raw", StreamBytes(7).end({5000, 0, 0, 77, 0}).bytes());
  EXPECT_THAT(read().processes[0].problem, HasSubstr("77 records are missing"));
}

TEST_F(RawReaderTest, SaysThatAnotherProfilerHasTheRecords) {
  write("7-0.raw", StreamBytes(7).end({5000, 0, 0, 0, 1}).bytes());
  EXPECT_THAT(read().processes[0].problem, HasSubstr("another profiler"));
}

TEST_F(RawReaderTest, KeepsTheSentenceOfTheProcess) {
  StreamBytes stream(7);
  stream.text(RawChunk::kProblem, "CUPTI refuses to record.").end();
  write("7-0.raw", stream.bytes());
  EXPECT_EQ(read().processes[0].problem, "CUPTI refuses to record.");
}

TEST_F(RawReaderTest, LeavesOutFilesThatAreNotStreams) {
  write("readme.raw", "text");
  write("12-0.raw", "not a stream");
  write("12-0.txt", whole_stream(12).bytes());
  write("12-0x.raw", whole_stream(12).bytes());
  EXPECT_TRUE(read().processes.empty());
}

// The program may write into the folder. Reading a pipe would never end, nor would reading a device.
TEST_F(RawReaderTest, LeavesOutPipesAndLinks) {
  ASSERT_EQ(::mkfifo((folder_ / "1-0.raw").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", folder_ / "2-0.raw");
  write("stream", whole_stream(3).bytes());
  std::filesystem::create_symlink(folder_ / "stream", folder_ / "3-0.raw");
  write("42-0.raw", whole_stream(42).bytes());
  ASSERT_EQ(::mkfifo((folder_ / "42-0.totals").c_str(), 0600), 0);
  const records::Survey survey = read();
  ASSERT_EQ(survey.processes.size(), 1U);
  EXPECT_EQ(survey.processes[0].pid, 42);
}

TEST_F(RawReaderTest, AStreamThatIsTooLargeIsAProcessWithAProblem) {
  const std::string bytes = whole_stream(42).bytes();
  write("42-0.raw", bytes);
  write("43-0.raw", std::string(2 * bytes.size(), 'x'));  // Not a stream.
  const std::vector<RawProcess> processes = read_raw_processes(folder_.path(), bytes.size() - 1);
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_EQ(processes[0].header.pid, 42);
  EXPECT_TRUE(processes[0].launches.empty());
  EXPECT_THAT(processes[0].problem, HasSubstr("too much to be read"));
  EXPECT_EQ(read_raw_processes(folder_.path(), bytes.size()).at(0).launches.size(), 2U);
}

TEST_F(RawReaderTest, ARangeMayEndOnAnotherThread) {
  StreamBytes stream(7);
  stream
      .names({"one", "two"})  // The ends are in the buffer of the second thread, which came first.
      .add(RawChunk::kMarkers, std::vector{RawMarker{3000, 1, 1, 6, 0xFFFFFFFF}, RawMarker{2000, 1, 0, 5, 0},
                                           RawMarker{4000, 2, 0, 5, 1}, RawMarker{4000, 2, 1, 5, 0xFFFFFFFF}})
      .end({9000, 0, 0, 0, 0});
  write("7-0.raw", stream.bytes());
  const records::Survey survey = read();
  ASSERT_EQ(survey.ranges.size(), 2U);
  EXPECT_EQ(survey.ranges[0].time, (records::Interval{1000, 2000}));
  EXPECT_EQ(survey.ranges[1].time, (records::Interval{3000, 3000}));
}

// Markers are not recorded after the window, so the end of such a range is unknown or was late.
TEST_F(RawReaderTest, ARangeThatIsOpenWhenRecordingStopsEndsThen) {
  streams_.window_stop = 5000;
  StreamBytes stream(7);
  stream.names({"step"})
      .add(RawChunk::kFills, std::vector{RawFill{raw_activity(3000, 3100, 1), 8}})
      .add(RawChunk::kMarkers, std::vector{RawMarker{2000, 1, 0, 5, 0}, RawMarker{2500, 2, 0, 6, 0},
                                           RawMarker{5200, 2, 1, 6, 0xFFFFFFFF}})
      .end({9000, 0, 0, 0, 0});
  write("7-0.raw", stream.bytes());
  const records::Survey whole = read();
  ASSERT_EQ(whole.ranges.size(), 2U);
  EXPECT_EQ(whole.ranges[0].time, (records::Interval{1000, 4000}));
  EXPECT_EQ(whole.ranges[1].time, (records::Interval{1500, 4000}));
  streams_.range = "step";
  EXPECT_EQ(read().run.window, (records::Interval{1000, 4000}));
}

TEST_F(RawReaderTest, ImpossibleNumbersOfAProcessGiveASurveyThatCanBeStored) {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 63U;
  write("7-0.raw", StreamBytes(7, kHuge).end({kHuge, kHuge, kHuge + 5, 0, 0}).bytes());
  write("8-0.raw", StreamBytes(8, 3).end({2, 0, 0, 0, 0}).bytes());
  const records::Survey survey = read();
  ASSERT_EQ(survey.processes.size(), 2U);
  EXPECT_EQ(survey.processes[0].time, (records::Interval{9000, 9000}));
  EXPECT_EQ(survey.processes[0].dropped, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(survey.processes[0].left_out, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(survey.processes[1].time, (records::Interval{0, 0}));
  records::write_survey(survey, folder_ / "stored");
  EXPECT_EQ(records::read_survey(folder_ / "stored"), survey);
}

TEST_F(RawReaderTest, KeepsWhatIsBeforeDamage) {
  std::string bytes = whole_stream(42).bytes();
  bytes[bytes.size() - 1] = static_cast<char>(bytes[bytes.size() - 1] ^ 1);
  write("42-0.raw", bytes);
  const records::Survey survey = read();
  EXPECT_EQ(survey.launches.size(), 2U);
  EXPECT_THAT(survey.processes[0].problem, HasSubstr("damaged"));
}

TEST_F(RawReaderTest, ARangeLimitsTheSurvey) {
  write("42-0.raw", whole_stream(42).bytes());
  streams_.range = "step";
  EXPECT_EQ(read().launches.size(), 2U);
  streams_.range = "another";
  EXPECT_TRUE(read().launches.empty());
}

}  // namespace

}  // namespace warptune::survey::collecting
