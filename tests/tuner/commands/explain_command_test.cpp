// warptune explain as people use it, on a machine without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db/recording_file.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramRun;

class ExplainCommandTest : public ::testing::Test {
 protected:
  ExplainCommandTest() { db::write_recording(recording_, testing::toy_recording(kernel_)); }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_toy_kernel(warptune_.folder(), 20);
  std::string recording_ = warptune_ / "toy.wtrec.zst";
};

TEST_F(ExplainCommandTest, ExplainsARecording) {
  const ProgramRun run = warptune_.run({"explain", recording_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, AllOf(HasSubstr("from the recording toy.wtrec.zst: 40 evaluated, 39 with a time"),
                             HasSubstr("each step with the largest known gain: 2.01x as fast"),
                             HasSubstr("1. B false -> true   2.01 us  no difference"),
                             HasSubstr("2. A 1 -> 2          1.00 us  2.01x, 100 % of the gain"),
                             HasSubstr("Which parameters matter"), HasSubstr("note: no counters")));
}

TEST_F(ExplainCommandTest, ExplainsWhatTheDatabaseKnows) {
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "all"}).exit_code, 0);
  const ProgramRun run = warptune_.run({"explain", kernel_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("from the database: 40 evaluated"), HasSubstr("2.01x as fast")));
}

TEST_F(ExplainCommandTest, SaysThatThereIsNoGpuForMissingSteps) {
  model::Recording recording = testing::toy_recording(kernel_);
  std::erase_if(recording.measurements, [](const model::Measurement& row) {
    const std::string values = model::to_text(row.configuration);
    return values == "A=2 B=false" || values == "A=1 B=true";
  });
  db::write_recording(recording_, recording);
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "all"}).exit_code, 0);
  const ProgramRun run = warptune_.run({"explain", kernel_});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("here: steps without a measurement are left out"),
                             HasSubstr("the steps between were not measured"),
                             HasSubstr("2 possible steps were not measured")));
  const ProgramRun unmeasured = warptune_.run({"explain", kernel_, "--no-measure"});
  EXPECT_THAT(unmeasured.out, AllOf(HasSubstr("2 possible steps"), Not(HasSubstr("left out"))));
}

TEST_F(ExplainCommandTest, SaysTheSameToPrograms) {
  const json report = warptune_.json_of({"explain", recording_});
  EXPECT_EQ(report["workload"]["kernel"], "toy");
  EXPECT_EQ(report["timed"], 39);
  EXPECT_EQ(report["from"]["title"], "default");
  EXPECT_EQ(report["to"]["title"], "best");
  EXPECT_EQ(report["from"]["measurement"]["configuration"]["A"], 1);
  EXPECT_EQ(report["to"]["measurement"]["configuration"]["A"], 2);
  ASSERT_EQ(report["path"]["steps"].size(), 2U);
  EXPECT_TRUE(report["path"]["arrived"]);
  const json& step = report["path"]["steps"][1];
  EXPECT_EQ(step["grouping"], "alone");
  EXPECT_EQ(step["changes"][0]["parameter"], "A");
  EXPECT_NEAR(step["time_ratio"].get<double>(), 0.5, 0.01);
  EXPECT_NEAR(step["share_of_log_gain"].get<double>(), 1.0, 0.01);
  EXPECT_GE(step["everywhere"]["pairs"], 1);
  EXPECT_EQ(report["importance"]["over_space"]["rows"], 39);
  EXPECT_TRUE(report["importance"]["near_best"].is_null());
  EXPECT_TRUE(report["next_steps"].contains("idle"));
}

TEST_F(ExplainCommandTest, GoesBetweenTheEndsThatAreNamed) {
  const json report =
      warptune_.json_of({"explain", recording_, "--from", "A=5", "--to", "A=7", "--to", "B=false"});
  EXPECT_EQ(report["from"]["measurement"]["configuration"]["A"], 5);
  EXPECT_EQ(report["to"]["measurement"]["configuration"]["A"], 7);
  EXPECT_EQ(report["path"]["steps"].size(), 1U);
}

TEST_F(ExplainCommandTest, SaysWhatWasWrong) {
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& part) {
    std::vector<std::string> all = {"explain"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramRun run = warptune_.run(all);
    EXPECT_EQ(run.exit_code, code) << part;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(part));
  };
  refused({}, 2, "KERNEL is missing");
  refused({kernel_}, 2, "no database yet");  // There is no database.
  refused({recording_, "--to", "A=99"}, 2, "--to: ");
  refused({recording_, "--to", "C=1"}, 2, "--to: ");
  refused({recording_, "--from", "A"}, 2, "--from A: expected NAME=VALUE");
  refused({recording_, "--budget", "soon"}, 2, "--budget soon");
  refused({recording_, "--device", "first"}, 2, "--device first");
  refused({recording_, "--size", "N=7"}, 2, "--size");
  refused({(warptune_ / "none.wtrec.zst").string()}, 2, "none.wtrec.zst");
  ASSERT_EQ(warptune_.run({"tune", kernel_, "--replay", recording_, "--budget", "all"}).exit_code, 0);
  refused({kernel_, "--size", "N=2048"}, 1, "nothing was measured for toy N=2048");
}

}  // namespace
}  // namespace warptune::tuner::commands
