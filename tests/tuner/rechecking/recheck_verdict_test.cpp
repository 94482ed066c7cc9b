#include "tuner/rechecking/recheck_verdict.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::rechecking {
namespace {

constexpr double kThreshold = 0.03;

// A row whose intervals reach 0.5 % below and above the medians.
RecheckedRow row(std::int64_t x, double before_ns, double after_ns) {
  RecheckedRow row{testing::at(x), model::TimeSummary{before_ns, 0.995 * before_ns, 1.005 * before_ns},
                   testing::measured(testing::at(x), after_ns)};
  row.after->time = {after_ns, 0.995 * after_ns, 1.005 * after_ns};
  return row;
}

TEST(RecheckVerdictTest, AWinnerHoldsIfItsTimeChangedByLessThanTheThreshold) {
  const Judgement judgement = judge({row(1, 100.0, 102.0), row(2, 101.0, 103.0)}, kThreshold);
  EXPECT_EQ(judgement.verdict, Verdict::kHolds);
  EXPECT_NEAR(*judgement.change_share, 0.02, 1e-12);
  EXPECT_FALSE(judgement.better);
}

TEST(RecheckVerdictTest, AWinnerIsSlowerOrFasterBeyondTheThreshold) {
  EXPECT_EQ(judge({row(1, 100.0, 104.0)}, kThreshold).verdict, Verdict::kSlower);
  EXPECT_EQ(judge({row(1, 100.0, 96.0)}, kThreshold).verdict, Verdict::kFaster);
  EXPECT_EQ(judge({row(1, 100.0, 104.0)}, 0.05).verdict, Verdict::kHolds);
}

TEST(RecheckVerdictTest, TimesWhoseIntervalsOverlapDoNotDiffer) {
  RecheckedRow wide = row(1, 100.0, 104.0);
  wide.before->high_ns = 103.6;
  EXPECT_EQ(judge({wide}, kThreshold).verdict, Verdict::kHolds);
  RecheckedRow rival = row(2, 101.0, 100.0);
  rival.after->time->high_ns = 103.6;
  EXPECT_EQ(judge({row(1, 104.0, 104.0), rival}, kThreshold).verdict, Verdict::kHolds);
}

TEST(RecheckVerdictTest, ATimeWithoutAnIntervalIsExact) {
  RecheckedRow one = row(1, 100.0, 104.0);
  one.before->low_ns = one.before->high_ns = std::nullopt;
  EXPECT_EQ(judge({one}, kThreshold).verdict, Verdict::kSlower);
}

TEST(RecheckVerdictTest, TheFastestOfTheBetterRivalsIsNamed) {
  const Judgement judgement =
      judge({row(1, 100.0, 110.0), row(2, 101.0, 105.0), row(3, 102.0, 100.0)}, kThreshold);
  EXPECT_EQ(judgement.verdict, Verdict::kFlipped);
  EXPECT_EQ(judgement.better, 2U);
  EXPECT_NEAR(judgement.gain_share, 0.1, 1e-12);
}

TEST(RecheckVerdictTest, ARivalThatIsOnePerCentFasterIsNotBetter) {
  RecheckedRow winner = row(1, 100.9, 100.9);
  RecheckedRow rival = row(2, 101.0, 100.0);
  winner.after->time->low_ns = 100.8;
  rival.after->time->high_ns = 100.1;
  EXPECT_EQ(judge({winner, rival}, kThreshold).verdict, Verdict::kHolds);
}

TEST(RecheckVerdictTest, AWinnerThatHasNoTimeFailsWithTheReason) {
  RecheckedRow broken = row(1, 100.0, 100.0);
  broken.after = testing::failed(testing::at(1), model::Status::kWrongResult, "x[3] differs");
  const Judgement judgement = judge({broken, row(2, 101.0, 50.0)}, kThreshold);
  EXPECT_EQ(judgement.verdict, Verdict::kFails);
  EXPECT_EQ(judgement.reason, "wrong_result: x[3] differs");
  EXPECT_FALSE(judgement.change_share);
  broken.after.reset();
  EXPECT_EQ(judge({broken}, kThreshold).reason, "it was not measured");
}

TEST(RecheckVerdictTest, OnlyARowThatMeetsTheDemandReplacesTheWinner) {
  using Kind = model::outputs::ReproducibilityVerdict::Kind;
  RecheckedRow winner = row(1, 100.0, 100.0);
  RecheckedRow varying = row(2, 101.0, 50.0);
  RecheckedRow unknown = row(3, 101.0, 60.0);
  RecheckedRow met = row(4, 101.0, 90.0);
  winner.outputs = met.outputs = {Kind::kMet, "gave the same bits"};
  varying.outputs = {Kind::kUnmet, "gave other bits in 3 of 14 launches"};
  unknown.outputs = {Kind::kUnknown, "its launches were not compared"};
  EXPECT_EQ(judge({winner, varying, unknown}, kThreshold).verdict, Verdict::kHolds);
  EXPECT_EQ(judge({winner, varying, unknown, met}, kThreshold).better, 3U);
  const Judgement failed = judge({varying, met}, kThreshold);
  EXPECT_EQ(failed.verdict, Verdict::kFails);
  EXPECT_EQ(failed.reason, "gave other bits in 3 of 14 launches");
}

TEST(RecheckVerdictTest, OnlyHoldsAndFasterPass) {
  std::set<std::string_view> names;
  for (const Verdict verdict :
       {Verdict::kHolds, Verdict::kFaster, Verdict::kSlower, Verdict::kFlipped, Verdict::kFails}) {
    names.insert(to_string(verdict));
    EXPECT_EQ(passes(verdict), verdict == Verdict::kHolds || verdict == Verdict::kFaster);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"holds", "faster", "slower", "flipped", "fails"}));
}

}  // namespace
}  // namespace warptune::tuner::rechecking
