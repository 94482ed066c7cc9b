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

}  // namespace
}  // namespace warptune::tuner::explaining
