#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/program.h"
#include "tests/tuner/stored_winners.h"

namespace warptune::tuner::commands {
namespace {

using nlohmann::json;
using testing::acting_row;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RecheckCommandTest : public ::testing::Test {
 protected:
  RecheckCommandTest() { warptune_.variables = {{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER}}; }

  void store(const std::vector<model::Measurement>& rows, std::int64_t n = 64) {
    std::filesystem::create_directories(warptune_.database().parent_path());
    db::Store store(warptune_.database());
    testing::store_session(store, testing::acting_workload(kernel_, n), rows);
  }
  testing::ProgramRun run(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"recheck", kernel_, "--jobs", "1"});
    return warptune_.run(options);
  }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_acting_kernel(warptune_.folder());
};

TEST_F(RecheckCommandTest, ATableSaysWhatHolds) {
  store({acting_row(2, 2.0), acting_row(3, 2.05)});
  const testing::ProgramRun done = run();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("acting"), HasSubstr("N=64"), HasSubstr("+0.0 %"), HasSubstr("holds"),
                    HasSubstr("1 winner measured again, 1 holds\n"),
                    HasSubstr("since then: no change of driver, NVRTC, warptune or clocks is known\n")));
  EXPECT_THAT(done.err, HasSubstr("1 of 1: acting N=64: holds\n"));
}

TEST_F(RecheckCommandTest, WithCiTheExitCodeIsOneIfAWinnerIsSlowerFlippedOrFails) {
  store({acting_row(2, 0.5)});
  EXPECT_EQ(run().exit_code, 0);
  EXPECT_EQ(run({"--ci"}).exit_code, 0) << "the last recheck is what was before";
  store({acting_row(2, 2.0, "slow_in_finals"), acting_row(3, 2.05)}, 128);
  const testing::ProgramRun flipped = run({"--ci", "--size", "N=128"});
  EXPECT_EQ(flipped.exit_code, 1);
  EXPECT_THAT(flipped.out, HasSubstr("flipped: A="));
  store({acting_row(2, 2.0, "die")}, 256);
  EXPECT_EQ(run({"--ci", "--size", "N=256"}).exit_code, 1);
  store({acting_row(2, 0.5)}, 512);
  const testing::ProgramRun slower = run({"--ci", "--size", "N=512"});
  EXPECT_EQ(slower.exit_code, 1);
  EXPECT_THAT(slower.out, HasSubstr("slower"));
  store({acting_row(2, 20.0)}, 1024);
  EXPECT_EQ(run({"--ci", "--size", "N=1024"}).exit_code, 0) << "faster passes";
}

TEST_F(RecheckCommandTest, WithCiTheExitCodeIsOneIfAWinnerOfThisGpuIsLeftOut) {
  store({acting_row(2, 0.5)});
  store({acting_row(9, 2.0)}, 128);
  EXPECT_EQ(run().exit_code, 0);
  const testing::ProgramRun incomplete = run({"--ci"});
  EXPECT_EQ(incomplete.exit_code, 1);
  EXPECT_THAT(incomplete.out, HasSubstr("1 winner measured again, 1 holds\n"));
  EXPECT_THAT(incomplete.err,
              HasSubstr("the check does not pass:\n1 winner of this GPU was not measured again: 1 of a "
                        "configuration that is not in the space"));
  EXPECT_EQ(run({"--ci", "--size", "N=64"}).exit_code, 0);
  const testing::ProgramRun other = run({"vector_add", "--ci", "--size", "N=64"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("vector_add: the database has no winner of this GPU"));
  const json report = warptune_.json_of({"recheck", kernel_, "vector_add", "--dry-run"});
  EXPECT_TRUE(report.at("skipped").at(0).at("fails_ci"));
  EXPECT_EQ(report.at("without_winner"), json({"vector_add"}));
}

// The stored sessions had driver and NVRTC 12.8, and 1980 MHz.
TEST_F(RecheckCommandTest, AfterAChangeOfDriverToolkitOrClockTheVerdictsAndTheChangeAreNamed) {
  store({acting_row(2, 2.0), acting_row(3, 2.05)}, 64);
  store({acting_row(2, 2.0, "slow_in_finals"), acting_row(3, 2.05)}, 128);
  store({acting_row(2, 0.5)}, 256);
  warptune_.variables["FAKE_ENVIRONMENT"] = "13000 13010 1410 0x0";
  const testing::ProgramRun changed = run({"--ci"});
  EXPECT_EQ(changed.exit_code, 1) << changed.err;
  EXPECT_THAT(changed.out, AllOf(HasSubstr("3 winners measured again, 1 holds, 1 slower, 1 flipped\n"),
                                 HasSubstr("since then: driver 12.8 -> 13.0; NVRTC 12.8 -> 13.1; "),
                                 HasSubstr("SM clock 1980 MHz -> 1410 MHz")));
  // The next recheck compares with this one, and another clock is the only change.
  warptune_.variables["FAKE_ENVIRONMENT"] = "13000 13010 1980 0x0 580.65.06";
  const testing::ProgramRun again = run({"--ci", "--size", "N=64"});
  EXPECT_EQ(again.exit_code, 0) << again.out;
  EXPECT_THAT(again.out, HasSubstr("since then: SM clock 1410 MHz -> 1980 MHz\n"));
  const json report = warptune_.json_of({"recheck", kernel_, "--jobs", "1", "--size", "N=64"});
  EXPECT_EQ(report.at("winners").at(0).at("environment_before").at("driver_version"), 13000);
  EXPECT_EQ(report.at("winners").at(0).at("environment_before").at("driver_release"), "580.65.06");
  warptune_.variables["FAKE_ENVIRONMENT"] = "13000 13010 1980 0x0 580.82.07";
  EXPECT_THAT(run({"--size", "N=64"}).out, HasSubstr("since then: driver 580.65.06 -> 580.82.07\n"));
}

TEST_F(RecheckCommandTest, ADryRunMeasuresNothing) {
  store({acting_row(2, 2.0), acting_row(3, 2.05)});
  const testing::ProgramRun done = run({"--dry-run"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("1 winner would be measured again on "));
  const json listed = warptune_.json_of({"recheck", kernel_, "--dry-run"});
  EXPECT_TRUE(listed.at("dry_run"));
  EXPECT_THAT(listed.at("winners").at(0).at("rows"), SizeIs(3));
  EXPECT_THAT(db::Store::open_existing(warptune_.database()).sessions(), SizeIs(1));
}

TEST_F(RecheckCommandTest, TheJsonHasEachRowBeforeAndAfter) {
  store({acting_row(2, 2.0, "slow_in_finals"), acting_row(3, 2.05)});
  const json report = warptune_.json_of({"recheck", kernel_, "--jobs", "1"});
  const json& winner = report.at("winners").at(0);
  EXPECT_EQ(winner.at("verdict"), "flipped");
  EXPECT_EQ(winner.at("rows").at(0).at("before").at("median_ns"), 2.0);
  EXPECT_EQ(winner.at("rows").at(0).at("after").at("median_ns"), 12.0);
  EXPECT_NEAR(winner.at("better").at("gain_share").get<double>(), 5.0, 1e-12);
  EXPECT_EQ(winner.at("session_before"), 1);
  EXPECT_EQ(winner.at("environment_before").at("driver_version"), 12080);
}

TEST_F(RecheckCommandTest, NothingToMeasureAgainIsAnErrorThatSaysWhatIsStored) {
  store({acting_row(9, 2.0)});
  const testing::ProgramRun done = run({"--ci"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("there is nothing to measure again"),
                              HasSubstr("1 of a configuration that is not in the space")));
  EXPECT_EQ(run({"--size", "N=99"}).exit_code, 1);
}

TEST_F(RecheckCommandTest, WithoutADatabaseOrAGpuItSaysWhatIsMissing) {
  const testing::ProgramRun none = run();
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("warptune tune"));
  EXPECT_FALSE(std::filesystem::exists(warptune_.database()));
  store({acting_row(2, 2.0)});
  warptune_.variables.clear();
  EXPECT_EQ(run().exit_code, 3);
}

}  // namespace
}  // namespace warptune::tuner::commands
