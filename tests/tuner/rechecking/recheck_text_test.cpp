#include "tuner/rechecking/recheck_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::rechecking {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RecheckTextTest : public ::testing::Test {
 protected:
  // A workload whose winner X = 1 took 100 ns before and `after_ns` now.
  static RecheckResult result(const std::string& kernel, double after_ns) {
    RecheckResult result;
    result.planned.kernel = kernel;
    result.planned.winner.workload = testing::line_plan(4).workload;
    result.planned.winner.workload.kernel = kernel;
    result.planned.winner.best = testing::measured(testing::at(1), 100.0);
    result.planned.winner.environment = {"0.1.0", 12080, 12080, 1980, 3201, "0x0"};
    result.planned.rows = {
        {testing::at(1), result.planned.winner.best.time, testing::measured(testing::at(1), after_ns)}};
    result.environment = result.planned.winner.environment;
    result.sessions = {7};
    result.judgement = judge(result.planned.rows, 0.03);
    return result;
  }
};

TEST_F(RecheckTextTest, TheLastLineSaysWhatChangedAndForHowManyWorkloads) {
  RecheckOutcome outcome;
  outcome.results = {result("alpha", 100.0), result("beta", 110.0)};
  EXPECT_THAT(recheck_text(outcome, {}),
              HasSubstr("since then: no change of driver, NVRTC, warptune or clocks is known\n"));
  outcome.results[0].environment->driver_version = outcome.results[1].environment->driver_version = 13000;
  outcome.results[1].environment->sm_clock_mhz = 1830;
  outcome.results[1].environment->memory_clock_mhz = 3200;  // Less than 1 %.
  outcome.results[1].environment->nvrtc_version = 0;        // Unknown.
  EXPECT_THAT(recheck_text(outcome, {}),
              AllOf(HasSubstr("2 winners measured again, 1 holds, 1 slower\n"),
                    HasSubstr("since then: driver 12.8 -> 13.0; SM clock 1980 MHz -> 1830 MHz (1 of 2 "
                              "workloads)\n"),
                    HasSubstr("+10.0 %")));
}

TEST_F(RecheckTextTest, AThrottledGpuIsNamed) {
  RecheckOutcome outcome;
  outcome.results = {result("alpha", 100.0), result("beta", 110.0)};
  EXPECT_THAT(recheck_text(outcome, {}), Not(HasSubstr("throttled")));
  outcome.results[0].environment->throttle_reasons = "0x3";  // Idle, and the clocks were set.
  EXPECT_THAT(recheck_text(outcome, {}), Not(HasSubstr("throttled")));
  outcome.results[1].environment->throttle_reasons = "0x4";
  EXPECT_THAT(recheck_text(outcome, {}), HasSubstr("the GPU was throttled when 1 of 2 rechecks began"));
}

TEST_F(RecheckTextTest, AFailureShowsItsReasonInsteadOfATime) {
  RecheckOutcome outcome;
  outcome.results = {result("alpha", 100.0)};
  RecheckResult& failed = outcome.results[0];
  failed.planned.rows[0].after =
      testing::failed(testing::at(1), model::Status::kLaunchFailed, "illegal address");
  failed.judgement = judge(failed.planned.rows, 0.03);
  EXPECT_THAT(recheck_text(outcome, {}), HasSubstr("fails: launch_failed: illegal address"));
  EXPECT_EQ(result_line(failed), "alpha N=1024: fails\n");
}

TEST_F(RecheckTextTest, AWinnerWithOtherBitsIsNamed) {
  RecheckOutcome outcome;
  outcome.results = {result("alpha", 100.0)};
  outcome.results[0].has_other_bits = false;
  EXPECT_THAT(recheck_text(outcome, {}), Not(HasSubstr("other bits")));
  outcome.results[0].has_other_bits = true;
  EXPECT_THAT(recheck_text(outcome, {}),
              HasSubstr("alpha N=1024: the winner gives other bits than before on the same inputs\n"));
}

TEST_F(RecheckTextTest, OldRowsThatAreStillAheadAreNamed) {
  RecheckOutcome outcome;
  outcome.results = {result("alpha", 100.0)};
  EXPECT_THAT(recheck_text(outcome, {}), Not(HasSubstr("old times")));
  outcome.results[0].unproven = 3;
  EXPECT_THAT(recheck_text(outcome, {}), AllOf(HasSubstr("3 rows of earlier sessions are ahead by old times"),
                                               HasSubstr("warptune tune alpha --fresh")));
}

TEST_F(RecheckTextTest, SkippedWorkloadsAreCountedByReason) {
  RecheckPlan plan;
  const model::Workload workload = testing::line_plan(4).workload;
  plan.skipped = {{workload, "on another GPU (A100)"}, {workload, "on another GPU (A100)"}, {workload, "b"}};
  EXPECT_EQ(skipped_text(plan.skipped), "1 b, 2 on another GPU (A100)");
  EXPECT_THAT(plan_text(plan), HasSubstr("not measured again: 1 b, 2 on another GPU (A100)\n"));
}

}  // namespace
}  // namespace warptune::tuner::rechecking
