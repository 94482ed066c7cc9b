#include "model/outputs/reproducibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "base/error.h"

namespace warptune::model::outputs {
namespace {

using Kind = ReproducibilityVerdict::Kind;
using ::testing::HasSubstr;

Measurement row(Counters counters) {
  Measurement measurement;
  measurement.status = Status::kMeasured;
  measurement.counters = std::move(counters);
  return measurement;
}

Counters bits(double inputs, double outputs, double differing = 0.0) {
  return {{"compared_launches", 14.0},
          {"differing_launches", differing},
          {"input_digest", inputs},
          {"output_digest", outputs}};
}

ReproducibilityVerdict judged(const char* text, const Measurement& one, const Measurement& usual = row({})) {
  return judge(Reproducibility::parse(text), one, &usual);
}

TEST(ReproducibilityTest, TheTextSaysWhatIsDemanded) {
  EXPECT_EQ(Reproducibility::parse("").text, "bits");
  EXPECT_EQ(Reproducibility::parse("runs").demand, Reproducibility::Demand::kRuns);
  const Reproducibility bound = Reproducibility::parse("relative=1e-5");
  EXPECT_EQ(bound.metric, "error_max_relative");
  EXPECT_EQ(bound.maximum, 1e-5);
  EXPECT_EQ(bound.sentence(), "has error_max_relative of at most 1e-05");
  EXPECT_EQ(Reproducibility::parse("ulp=0").metric, "error_max_ulp");
  EXPECT_EQ(Reproducibility::parse("absolute=2").metric, "error_max_absolute");
}

TEST(ReproducibilityTest, AnotherTextIsRefusedWithWhatIsExpected) {
  for (const char* text : {"bit", "relative", "relative=", "relative=-1", "relative=nan", "ulp=inf", "ulp=1x",
                           "mean=1", "=1", "runs=2"}) {
    try {
      Reproducibility::parse(text);
      ADD_FAILURE() << text;
    } catch (const base::InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("expected runs|bits|absolute=X|relative=X|ulp=X")) << text;
    }
  }
}

TEST(ReproducibilityTest, RunsAreTheSameIfNoLaunchGaveOtherBits) {
  EXPECT_EQ(judged("runs", row({})).kind, Kind::kUnknown);
  EXPECT_EQ(judged("runs", row({{"compared_launches", 0.0}})).kind, Kind::kUnknown);
  EXPECT_EQ(judged("runs", row(bits(1, 2))).kind, Kind::kMet);
  const ReproducibilityVerdict differing = judged("runs", row(bits(1, 2, 3)));
  EXPECT_EQ(differing.kind, Kind::kUnmet);
  EXPECT_EQ(differing.reason, "gave other bits in 3 of 14 launches");
}

TEST(ReproducibilityTest, TheLaunchesOfAConfirmationCountForTheRunsAlso) {
  Counters confirmed = {{"verified_launches", 300.0}, {"deviating_launches", 0.0}};
  EXPECT_EQ(judged("runs", row(confirmed)).kind, Kind::kMet);  // A row of an earlier version.
  confirmed["deviating_launches"] = 2.0;
  EXPECT_EQ(judged("runs", row(confirmed)).kind, Kind::kUnmet);
  confirmed.merge(bits(1, 2));
  EXPECT_THAT(judged("bits", row(confirmed), row(bits(1, 2))).reason, HasSubstr("2 of 314 launches"));
}

TEST(ReproducibilityTest, BitsAreComparedWithThoseOfTheDefaultOnTheSameInputs) {
  EXPECT_EQ(judged("bits", row(bits(1, 2)), row(bits(1, 2))).kind, Kind::kMet);
  const ReproducibilityVerdict other = judged("bits", row(bits(1, 3)), row(bits(1, 2)));
  EXPECT_EQ(other.kind, Kind::kUnmet);
  EXPECT_EQ(other.reason, "gives other bits than the default");
  EXPECT_EQ(judged("bits", row(bits(4, 2)), row(bits(1, 2))).kind, Kind::kUnknown);
  EXPECT_EQ(judged("bits", row({}), row(bits(1, 2))).kind, Kind::kUnknown);
  EXPECT_EQ(judged("bits", row(bits(1, 2)), row({})).kind, Kind::kUnknown);
  EXPECT_EQ(judge(Reproducibility(), row(bits(1, 2)), nullptr).kind, Kind::kUnknown);
}

TEST(ReproducibilityTest, ADefaultThatWasDroppedOrFailedHasNoBitsToCompareWith) {
  Measurement usual = row(bits(1, 2));
  for (const Status status : {Status::kDropped, Status::kWrongResult, Status::kImplausible}) {
    usual.status = status;
    EXPECT_EQ(judged("bits", row(bits(1, 2)), usual).kind, Kind::kUnknown);
  }
}

TEST(ReproducibilityTest, NumbersOfLaunchesThatAreNoneProveNothing) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double damaged : {kNan, std::numeric_limits<double>::infinity(), -1.0, 0.5, 1e300}) {
    for (const char* name :
         {"compared_launches", "differing_launches", "verified_launches", "deviating_launches"}) {
      Counters counters = bits(1, 2);
      counters[name] = damaged;
      EXPECT_EQ(judged("runs", row(counters)).kind, Kind::kUnknown) << name << " " << damaged;
    }
  }
  EXPECT_EQ(judged("ulp=1", row({{"error_max_ulp", kNan}})).kind, Kind::kUnknown);
}

TEST(ReproducibilityTest, ADefaultWhoseLaunchesDifferHasNoBitsToCompareWith) {
  const ReproducibilityVerdict verdict = judged("bits", row(bits(1, 2)), row(bits(1, 2, 1)));
  EXPECT_EQ(verdict.kind, Kind::kUnmet);
  EXPECT_THAT(verdict.reason, HasSubstr("the default, whose own launches differ"));
}

TEST(ReproducibilityTest, AnErrorMustBeKnownAndWithinTheBound) {
  const Measurement precise = row({{"error_max_ulp", 2.0}});
  EXPECT_EQ(judged("ulp=2", precise).kind, Kind::kMet);
  EXPECT_EQ(judged("ulp=1.5", precise).kind, Kind::kUnmet);
  EXPECT_EQ(judged("ulp=1.5", precise).reason, "has error_max_ulp 2");
  EXPECT_EQ(judged("relative=1", precise).kind, Kind::kUnknown);
}

TEST(ReproducibilityTest, WhatWasNotMeasuredIsUnknown) {
  Measurement one = row(bits(1, 2));
  for (const RowSource source : {RowSource::kReplayed, RowSource::kImported}) {
    one.source = source;
    EXPECT_EQ(judged("runs", one).kind, Kind::kUnknown);
  }
}

TEST(ReproducibilityTest, DigestsAreTheMetricsThatMustNotBeRounded) {
  EXPECT_TRUE(is_digest("input_digest"));
  EXPECT_TRUE(is_digest("output_digest"));
  EXPECT_FALSE(is_digest("compared_launches"));
}

}  // namespace
}  // namespace warptune::model::outputs
