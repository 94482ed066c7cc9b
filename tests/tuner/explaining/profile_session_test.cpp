// Profiles that are measured, by a fake worker (fake_gpu_worker.cpp). profile_command_test.cpp has stored
// ones.
#include "tuner/explaining/profile_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/program.h"

namespace warptune::tuner::explaining {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class ProfileSessionTest : public ::testing::Test {
 protected:
  ProfileSessionTest() { warptune_.variables = {{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER}}; }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
};

TEST_F(ProfileSessionTest, AConfigurationIsMeasuredWhereThereIsAGpuAndStoredInASession) {
  const testing::ProgramRun done =
      warptune_.run({"profile", kernel_, "--set", "A=2", "--set", "B=true", "--jobs", "1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("just measured"));
  EXPECT_THAT(done.out, HasSubstr("A=2 B=true"));
  const nlohmann::json session = warptune_.json_of({"show", "1"});
  EXPECT_EQ(session.at("session").at("strategy"), "profile");
  ASSERT_THAT(session.at("measurements"), SizeIs(1));
  EXPECT_EQ(session.at("measurements").at(0).at("configuration"), nlohmann::json({{"A", 2}, {"B", true}}));
}

TEST_F(ProfileSessionTest, WhatIsStoredIsShownWithoutMeasuringWhereThatIsAskedFor) {
  ASSERT_EQ(warptune_.run({"profile", kernel_, "--default", "--jobs", "1"}).exit_code, 0);
  const testing::ProgramRun stored = warptune_.run({"profile", kernel_, "--default", "--stored"});
  EXPECT_EQ(stored.exit_code, 0) << stored.err;
  EXPECT_THAT(stored.out, HasSubstr("counters as stored by the database"));
  EXPECT_THAT(warptune_.json_of({"show"}).at("sessions"), SizeIs(1));
}

TEST_F(ProfileSessionTest, AHostProgramIsShownStepByStep) {
  const std::string program = WARPTUNE_PROFILING_TEST_DATA "/host_pipeline.cu";
  const testing::ProgramRun done = warptune_.run({"profile", program, "--default", "--jobs", "1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("Steps of the host program: 10 runs recorded, 1.06 ms in the median"));
  EXPECT_THAT(done.out, HasSubstr("x_host to x"));
  EXPECT_THAT(done.out, HasSubstr("use pageable memory of the host [pageable_copies]"));
  const testing::ProgramRun stored = warptune_.run({"profile", program, "--default", "--stored"});
  EXPECT_THAT(stored.out, HasSubstr("not recorded: its steps are recorded on a GPU"));
  const nlohmann::json kernel = warptune_.json_of({"profile", kernel_, "--default", "--jobs", "1"});
  EXPECT_TRUE(kernel.at("program").is_null());
}

// Without a measured rate, that of the theory of PCI Express 5 counts.
TEST_F(ProfileSessionTest, AHostProgramIsJudgedByTheMeasuredHostLink) {
  const std::string program = WARPTUNE_PROFILING_TEST_DATA "/host_pipeline.cu";
  const auto evidence = [&] {
    const nlohmann::json profile = warptune_.json_of({"profile", program, "--default", "--jobs", "1"});
    return profile.at("program").at("findings").at(0).at("evidence").dump();
  };
  EXPECT_THAT(evidence(), HasSubstr("the host link has 63 GB/s by theory"));
  ASSERT_EQ(warptune_.run({"devices", "--measure-roofs"}).exit_code, 0);
  EXPECT_THAT(evidence(), HasSubstr("the host link has 55 GB/s, as measured"));
}

}  // namespace
}  // namespace warptune::tuner::explaining
