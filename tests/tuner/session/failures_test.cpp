// Sessions that find nothing, and machines that cannot run one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/recording_file.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::session {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class FailuresTest : public ::testing::Test {
 protected:
  void SetUp() override { kernel_ = testing::write_toy_kernel(warptune_.folder()).string(); }

  std::string record(const model::Recording& recording) const {
    const std::string path = (warptune_ / "failures.wtrec.zst").string();
    db::write_recording(path, recording);
    return path;
  }

  testing::Warptune warptune_;
  std::string kernel_;
};

TEST_F(FailuresTest, WhereNothingCouldBeMeasuredTheCommonestFailureIsToldInFull) {
  model::Recording recording = testing::toy_recording(kernel_);
  const std::string log =
      "toy.cu(21): error: identifier \"nonsense\" is undefined\n  nonsense;\n  ^\n1 error";
  for (model::Measurement& measurement : recording.measurements)
    measurement = testing::failed(measurement.configuration, model::Status::kCompileFailed, log);
  recording.measurements[0] =
      testing::failed(recording.measurements[0].configuration, model::Status::kTimedOut, "slow");
  const testing::ProgramRun done =
      warptune_.run({"tune", kernel_, "--replay", record(recording), "--budget", "all"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("no configuration could be measured"), HasSubstr(log),
                              HasSubstr("warptune show 1"), Not(HasSubstr("slow"))));
  EXPECT_EQ(warptune_.json_of({"db", "info"}).at("measurement_count"), 8);
}

TEST_F(FailuresTest, ASecondSessionWithNothingLeftAndNoBestFailsAsWell) {
  model::Recording recording = testing::toy_recording(kernel_);
  for (model::Measurement& measurement : recording.measurements)
    measurement = testing::failed(measurement.configuration, model::Status::kWorkerDied, "signal 11");
  const std::string file = record(recording);
  EXPECT_EQ(warptune_.run({"tune", kernel_, "--replay", file, "--budget", "all"}).exit_code, 1);
  const testing::ProgramRun again = warptune_.run({"tune", kernel_, "--replay", file, "--budget", "all"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("no configuration could be measured"));
}

TEST_F(FailuresTest, ReasonsThatAreNoUtf8StillShow) {
  model::Recording recording = testing::toy_recording(kernel_);
  for (model::Measurement& measurement : recording.measurements) measurement.reason = "caf\xc3\xa9";
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", record(recording), "--budget", "all"}).exit_code, 0);
  EXPECT_EQ(warptune_.json_of({"show", "1"}).at("measurements").size(), 8U);
}

TEST_F(FailuresTest, WithoutGpuAndRecordingTuneSaysWhatToDo) {
  const testing::ProgramRun done = warptune_.run({"tune", kernel_});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, AllOf(HasSubstr("no GPU"), HasSubstr("run this on a machine with a GPU")));
}

TEST_F(FailuresTest, WithoutGpuDevicesSaysWhy) {
  const testing::ProgramRun done = warptune_.run({"devices"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("no GPU: "));
}

TEST_F(FailuresTest, WithoutAHomeTheDatabaseNeedsAPath) {
  warptune_.variables = {{"HOME", ""}, {"XDG_DATA_HOME", ""}};
  const testing::ProgramRun done = warptune_.run({"db", "info"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.out, "");
  EXPECT_NE(done.err, "");
}

TEST_F(FailuresTest, AFolderThatCannotBeWrittenIsTheMachinesFault) {
  const testing::ProgramRun done = warptune_.run(
      {"tune", kernel_, "--replay", record(testing::toy_recording(kernel_)), "--db", "/proc/warptune.db"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("/proc/warptune.db"));
}

}  // namespace
}  // namespace warptune::tuner::session
