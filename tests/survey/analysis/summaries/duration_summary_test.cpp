#include "survey/analysis/summaries/duration_summary.h"

#include <gtest/gtest.h>

namespace warptune::survey::analysis::summaries {
namespace {

TEST(DurationSummary, HasTheSumTheMedianAndTheMaximum) {
  EXPECT_EQ(duration_summary({50, 10, 30}), (DurationSummary{90, 30, 50}));
  EXPECT_EQ(duration_summary({40, 10, 30, 20}), (DurationSummary{100, 20, 40})) << "the lower middle";
  EXPECT_EQ(duration_summary({7}), (DurationSummary{7, 7, 7}));
  EXPECT_EQ(duration_summary({}), DurationSummary{});
}

}  // namespace
}  // namespace warptune::survey::analysis::summaries
