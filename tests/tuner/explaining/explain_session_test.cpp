// Missing steps are measured by a fake worker (fake_gpu_worker.cpp).
#include "tuner/explaining/explain_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/program.h"

namespace warptune::tuner::explaining {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class ExplainSessionTest : public ::testing::Test {
 protected:
  ExplainSessionTest() {
    warptune_.variables = {{"WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER}};
    EXPECT_EQ(warptune_.run({"profile", kernel_, "--set", "A=2", "--set", "B=true", "--jobs", "1"}).exit_code,
              0);
  }

  testing::Warptune warptune_;
  std::string kernel_ = testing::write_toy_kernel(warptune_.folder()).string();
};

TEST_F(ExplainSessionTest, StepsThatNobodyMeasuredAreMeasuredInASessionOfTheirOwn) {
  const testing::ProgramRun done = warptune_.run({"explain", kernel_, "--jobs", "1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("; 3 measured now, stored as session 2"));
  const nlohmann::json session = warptune_.json_of({"show", "2"});
  EXPECT_EQ(session.at("session").at("strategy"), "explain");
  EXPECT_THAT(session.at("measurements"), SizeIs(3)) << "the default, and one step of each parameter";
  EXPECT_THAT(warptune_.run({"explain", kernel_, "--jobs", "1"}).out, HasSubstr("from the database: 4"));
  EXPECT_THAT(warptune_.json_of({"show"}).at("sessions"), SizeIs(2)) << "nothing was missing any more";
}

TEST_F(ExplainSessionTest, ABudgetLimitsWhatIsMeasured) {
  const testing::ProgramRun done = warptune_.run({"explain", kernel_, "--jobs", "1", "--budget", "1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("; 1 measured now, stored as session 2"));
}

TEST_F(ExplainSessionTest, NothingIsMeasuredIfThatIsForbidden) {
  EXPECT_EQ(warptune_.run({"explain", kernel_, "--no-measure"}).exit_code, 0);
  EXPECT_THAT(warptune_.json_of({"show"}).at("sessions"), SizeIs(1));
}

TEST_F(ExplainSessionTest, TheStepsOfBothEndsOfAHostProgramAreRecorded) {
  const std::string program = WARPTUNE_PROFILING_TEST_DATA "/host_pipeline.cu";
  ASSERT_EQ(warptune_.run({"profile", program, "--default", "--jobs", "1"}).exit_code, 0);
  ASSERT_EQ(warptune_.run({"profile", program, "--set", "STREAMS=2", "--jobs", "1"}).exit_code, 0);
  const testing::ProgramRun done = warptune_.run({"explain", program, "--to", "STREAMS=2", "--jobs", "1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("Steps of the default: 10 runs recorded"));
  EXPECT_THAT(done.out, HasSubstr("Steps of the end: 10 runs recorded"));
  const nlohmann::json none = warptune_.json_of({"explain", program, "--no-measure"});
  EXPECT_TRUE(none.at("to").at("program").is_null());
}

}  // namespace
}  // namespace warptune::tuner::explaining
