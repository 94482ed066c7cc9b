// warptune profile on a machine without a GPU: it shows stored counters, and refuses typing errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/recording_file.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ProfileCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
    recording_ = (warptune_ / "toy.wtrec.zst").string();
    model::Recording recording = testing::toy_recording(kernel_);
    for (model::Measurement& row : recording.measurements) {
      row.counters["smsp__thread_inst_executed_per_inst_executed.ratio"] = 8.0;
      row.resources.threads_per_block = 32;
      row.resources.registers_per_thread = 16;
      row.resources.blocks = 32;
      row.resources.blocks_per_sm = 32;
    }
    db::write_recording(recording_, recording);
  }

  void expect_refusal(const std::vector<std::string>& arguments, int exit_code, const std::string& expected) {
    const testing::ProgramRun run = warptune_.run(arguments);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(expected));
    EXPECT_EQ(run.out, "");
  }

  testing::Warptune warptune_;
  std::string kernel_;
  std::string recording_;
};

TEST_F(ProfileCommandTest, ShowsTheBestOfARecordingAndSaysWhatWasNotCounted) {
  const testing::ProgramRun run = warptune_.run({"profile", recording_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("the best of 8 known: A=2 B=true"), HasSubstr("Speed of light"),
                             HasSubstr("Limited by"), HasSubstr("metrics of these sections were not counted"),
                             HasSubstr("Diagnosis"), HasSubstr("[divergence]")));
}

TEST_F(ProfileCommandTest, ShowsTheDefaultAndNamedConfigurations) {
  EXPECT_THAT(warptune_.run({"profile", recording_, "--default"}).out, HasSubstr("the default: A=1 B=false"));
  EXPECT_THAT(warptune_.run({"profile", recording_, "--set", "A=4"}).out,
              HasSubstr("the best of 8 known with A=4: A=4 B=true"));
}

TEST_F(ProfileCommandTest, ListsEveryCounterWhenAskedTo) {
  const std::string line = "smsp__thread_inst_executed_per_inst_executed.ratio  ";
  EXPECT_THAT(warptune_.run({"profile", recording_, "--raw"}).out, HasSubstr("\n" + line));
  EXPECT_THAT(warptune_.run({"profile", recording_}).out, Not(HasSubstr("\n" + line)));
}

TEST_F(ProfileCommandTest, GivesProgramsTheSameNumbers) {
  const nlohmann::json report = warptune_.json_of({"profile", recording_});
  EXPECT_EQ(report.at("workload").at("kernel"), "toy");
  EXPECT_TRUE(report.at("passes").is_null());
  EXPECT_EQ(report.at("sections").at(0).at("title"), "Speed of light");
  EXPECT_DOUBLE_EQ(report.at("sections").at(0).at("rows").at(0).at("value").get<double>(), 1000.0);
  EXPECT_FALSE(report.at("diagnosis").at("findings").empty());
}

TEST_F(ProfileCommandTest, ShowsWhatTheDatabaseKnowsWhereThereIsNoGpu) {
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "all"}).exit_code, 0);
  const testing::ProgramRun run = warptune_.run({"profile", kernel_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("here: showing stored measurements"));
  EXPECT_THAT(run.out, AllOf(HasSubstr("counters as stored by the database"), HasSubstr("A=2 B=true")));
}

TEST_F(ProfileCommandTest, ShowsAShippedRecordingWhereThereIsNeitherAGpuNorADatabase) {
  const testing::ProgramRun run = warptune_.run({"profile", "transpose"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("showing the recording transpose-h200.wtrec.zst instead"));
  EXPECT_THAT(run.out, HasSubstr("transpose M=8192"));
}

TEST_F(ProfileCommandTest, SaysThatATimeIsAnEstimateWhereTheRowWasDropped) {
  const testing::ProgramRun best = warptune_.run({"profile", recording_});
  EXPECT_THAT(best.out, Not(HasSubstr("first estimate")));
  model::Recording recording = db::read_recording(recording_);
  for (model::Measurement& row : recording.measurements) {
    if (row.status == model::Status::kMeasured) row.status = model::Status::kDropped;
  }
  db::write_recording(recording_, recording);
  const testing::ProgramRun run = warptune_.run({"profile", recording_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("the default: A=1 B=false\ndropped early as too slow"),
                             HasSubstr("Diagnosis")));
}

TEST_F(ProfileCommandTest, TellsWhatARecordingHoldsNotAndDoesNotOfferToMeasureIt) {
  model::Recording recording = db::read_recording(recording_);
  const model::NamedValues best = {{"A", model::Value(std::int64_t{2})}, {"B", model::Value(true)}};
  std::erase_if(recording.measurements, [&](const auto& row) { return row.configuration == best; });
  db::write_recording(recording_, recording);
  expect_refusal({"profile", recording_, "--set", "A=2", "--set", "B=true"}, 1,
                 "the recording toy.wtrec.zst has no measurement of A=2 B=true\n");
  recording.default_configuration.clear();
  db::write_recording(recording_, recording);
  expect_refusal({"profile", recording_, "--default"}, 2, "toy has no default: name a configuration");
  recording.measurements.clear();
  db::write_recording(recording_, recording);
  for (const char* command : {"profile", "explain", "report"})
    expect_refusal({command, recording_}, 1, "the recording toy.wtrec.zst holds no configuration\n");
}

TEST_F(ProfileCommandTest, SaysWhereAFileOfAnotherTunerNamesNeitherKernelNorGpu) {
  model::Recording recording = db::read_recording(recording_);
  recording.workload.kernel.clear();
  recording.workload.problem.clear();
  recording.workload.gpu.name.clear();
  recording.listed = true;
  recording.workload.cache = model::CacheState::kUnknown;
  db::write_recording(recording_, recording);
  for (const char* command : {"profile", "explain"}) {
    EXPECT_THAT(
        warptune_.run({command, recording_}).out,
        ::testing::StartsWith("a kernel without a name on a GPU without a name, timed from an L2 cache "
                              "in an unknown state\n"));
  }
}

TEST_F(ProfileCommandTest, ToldOfADatabaseThatIsNotThereNamesIt) {
  expect_refusal({"profile", "transpose", "--db", (warptune_ / "none.db").string()}, 2,
                 "none.db: there is no database yet");
}

TEST_F(ProfileCommandTest, ToldOfAConfigurationThatFailedGivesTheReason) {
  expect_refusal({"profile", recording_, "--set", "A=3", "--set", "B=false"}, 1,
                 "A=3 B=false: wrong_result: x[0] is 3, expected 2");
}

TEST_F(ProfileCommandTest, SaysWhatIsWrongWithWhatIsAskedFor) {
  expect_refusal({"profile", recording_, "--set", "C=1"}, 2, "--set: 'C' is not a parameter");
  expect_refusal({"profile", recording_, "--set", "A=99"}, 2, "--set: ");
  expect_refusal({"profile", recording_, "--size", "N=7"}, 2, "toy.wtrec.zst was measured with N=1024");
  expect_refusal({"profile", recording_, "--gpu", "A100"}, 2, "--gpu: the recording");
  expect_refusal({"profile", recording_, "--device", "x"}, 2, "--device x");
  expect_refusal({"profile", recording_, "--cache", "hot"}, 2, "--cache hot: expected cold, warm or unknown");
  expect_refusal({"profile", "sgem"}, 2, "did you mean sgemm");
  expect_refusal({"profile", "sgemm", "--size", "Q=1"}, 2, "Q");
  expect_refusal({"profile", kernel_}, 3, "no GPU");
  const std::string damaged = warptune_.file("damaged.zst", "no recording");
  expect_refusal({"profile", damaged}, 2, "damaged.zst");
}

}  // namespace
}  // namespace warptune::tuner::commands
