// Reports about sessions that ended by themselves are tested with whole nodes (node_test.cpp).
#include "tuner/nodes/attempt_reports.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::nodes {
namespace {

TEST(AttemptReportsTest, AnInterruptedSessionClosesNothing) {
  session::TuningOutcome tuned{testing::line_plan(8), {}, {}, {}, {}, {}};
  tuned.result.interrupted = true;
  for (const auto& [state, end] : {std::pair(fleet::LeaseState::kHeld, fleet::AttemptEnd::kGivenBack),
                                   std::pair(fleet::LeaseState::kLost, fleet::AttemptEnd::kLost),
                                   std::pair(fleet::LeaseState::kCancelled, fleet::AttemptEnd::kCancelled)}) {
    const AttemptReport report = report_of(tuned, state);
    EXPECT_FALSE(report.outcome) << fleet::to_string(end);
    EXPECT_EQ(report.end, end);
    EXPECT_NE(report.reason, "");
  }
}

}  // namespace
}  // namespace warptune::tuner::nodes
