#include "tuner/session/finals/demanded_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "tests/tuner/fake_evaluator.h"
#include "tuner/session/recording_fit.h"

namespace warptune::tuner::session::finals {
namespace {

using Kind = model::outputs::ReproducibilityVerdict::Kind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::Counters bits(double outputs, double differing = 0.0) {
  return {{"compared_launches", 14.0},
          {"differing_launches", differing},
          {"input_digest", 1.0},
          {"output_digest", outputs}};
}

// X = 1 is the fastest, and the last X is the default.
class DemandedOutputsTest : public tuner::testing::SessionTest {
 protected:
  DemandedOutputsTest() {
    evaluator_.interleaved = [](const model::NamedValues& configuration) {
      return std::vector<double>(9, 1000.0 + 10.0 * static_cast<double>(tuner::testing::x_of(configuration)));
    };
    evaluator_.confirmation = [](const model::NamedValues&) {
      profiling::timing::Confirmation confirmation;
      confirmation.launches = 300;
      return confirmation;
    };
  }

  static SessionPlan plan(std::int64_t size, const std::string& demand) {
    SessionPlan plan = tuner::testing::line_plan(size);
    plan.final_rounds = 9;
    plan.reproducible = model::outputs::Reproducibility::parse(demand);
    return plan;
  }

  model::Counters counters_of_x(std::int64_t x, std::int64_t size) {
    for (const db::StoredMeasurement& row : store_.measurements(tuner::testing::line_plan(size).workload)) {
      if (tuner::testing::x_of(row.measurement.configuration) == x) return row.measurement.counters;
    }
    return {};
  }
};

TEST_F(DemandedOutputsTest, TheBestIsTheFastestThatGivesTheBitsOfTheDefault) {
  evaluator_.bits_in_finals = [](const model::NamedValues& configuration) {
    const std::int64_t x = tuner::testing::x_of(configuration);
    return x == 1 ? bits(7.0, 3.0) : x == 2 ? bits(8.0) : bits(7.0);
  };
  const SessionPlan asked = plan(5, "bits");
  const SessionResult result = run(asked);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(tuner::testing::x_of(result.best->configuration), 3);
  EXPECT_EQ(result.best->counters.at("verified_launches"), 300.0);
  ASSERT_THAT(result.passed_over, SizeIs(2));
  EXPECT_EQ(result.passed_over[0].verdict.reason, "gave other bits in 3 of 14 launches");
  EXPECT_EQ(result.passed_over[1].verdict.reason, "gives other bits than the default");
  EXPECT_EQ(demanded_text(asked, result),
            "reproducible (bits): gave the same bits in 314 launches, and those of the default\n"
            "passed over: 2 configurations do not meet it, 0 are not known\n"
            "  X=1: gave other bits in 3 of 14 launches\n"
            "  X=2: gives other bits than the default\n");
}

TEST_F(DemandedOutputsTest, TheOutputsOfTheWinnerThatIsRecheckedAreKnownAlthoughManyAreFaster) {
  evaluator_.bits_in_finals = [](const model::NamedValues&) { return bits(7.0); };
  // The order stays, so one pass is enough.
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return std::vector<double>(9, 1000.0 + static_cast<double>(tuner::testing::x_of(configuration)));
  };
  SessionPlan recheck = plan(12, "runs");
  recheck.purpose = "recheck";
  recheck.fresh = true;
  recheck.compared_named = 1;
  for (const std::int64_t x : {10, 1, 2, 3, 4, 5, 6, 7, 8, 9}) recheck.named.push_back({{"X", x}});
  run(recheck);
  EXPECT_EQ(counters_of_x(10, 12).count("compared_launches"), 1U);
  EXPECT_EQ(counters_of_x(9, 12).count("compared_launches"), 0U) << "not the winner, and behind the first 8";
}

TEST_F(DemandedOutputsTest, NoRowBecomesThePreferredOne) {
  evaluator_.bits_in_finals = [](const model::NamedValues& configuration) {
    return bits(tuner::testing::x_of(configuration) == 1 ? 8.0 : 7.0);
  };
  EXPECT_EQ(tuner::testing::x_of(run(plan(5, "bits")).best->configuration), 2);
  for (const db::StoredMeasurement& row : store_.measurements(plan(5, "bits").workload))
    EXPECT_FALSE(row.preferred);
  EXPECT_EQ(tuner::testing::x_of(store_.winners("toy", "").at(0).best.configuration), 1);
}

TEST_F(DemandedOutputsTest, WhatWasNotComparedIsPassedOverAndIsStillTheWinnerForOthers) {
  const SessionResult result = run(plan(3, "runs"));
  EXPECT_EQ(result.best, std::nullopt);
  ASSERT_THAT(result.passed_over, SizeIs(3));
  EXPECT_EQ(result.passed_over[0].verdict.kind, Kind::kUnknown);
  EXPECT_EQ(nothing_met_text(model::outputs::Reproducibility::parse("runs"), result.passed_over),
            "no configuration gives the same bits in each launch: 0 configurations do not meet it, 3 are not "
            "known; the first is X=1: its launches were not compared");
  EXPECT_THAT(evaluator_.confirmed, IsEmpty());
  EXPECT_EQ(tuner::testing::x_of(store_.winners("toy", "").at(0).best.configuration), 1);
}

TEST_F(DemandedOutputsTest, TheDefaultIsComparedWithAlthoughItIsPassedOver) {
  evaluator_.bits_in_finals = [](const model::NamedValues& configuration) {
    return tuner::testing::x_of(configuration) == 3 ? bits(7.0, 1.0) : bits(7.0);
  };
  const SessionResult result = run(plan(3, "bits"));
  EXPECT_EQ(result.best, std::nullopt);
  ASSERT_THAT(result.passed_over, SizeIs(3));
  EXPECT_THAT(result.passed_over[0].verdict.reason, HasSubstr("the default, whose own launches differ"));
  ASSERT_TRUE(result.default_measurement);
  EXPECT_EQ(tuner::testing::x_of(result.default_measurement->configuration), 3);
}

TEST_F(DemandedOutputsTest, OtherBitsInTheConfirmationPassARowOverAndTheNextTakesItsPlace) {
  evaluator_.bits_in_finals = [](const model::NamedValues&) { return bits(7.0); };
  evaluator_.confirmation = [](const model::NamedValues& configuration) {
    profiling::timing::Confirmation confirmation;
    confirmation.launches = 300;
    confirmation.deviating = tuner::testing::x_of(configuration) == 1 ? 2 : 0;
    return confirmation;
  };
  const SessionResult result = run(plan(3, "runs"));
  EXPECT_EQ(tuner::testing::x_of(result.best->configuration), 2);
  EXPECT_EQ(result.passed_over.at(0).verdict.reason, "gave other bits in 2 of 314 launches");
  EXPECT_THAT(evaluator_.confirmed, SizeIs(2));
}

TEST_F(DemandedOutputsTest, RowsFarBehindTheFastestAreComparedUntilOneMeetsTheDemand) {
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return std::vector<double>(9, 1000.0 * static_cast<double>(tuner::testing::x_of(configuration)));
  };
  evaluator_.answer = [](const model::NamedValues& configuration) {
    return tuner::testing::measured(configuration,
                                    1000.0 * static_cast<double>(tuner::testing::x_of(configuration)));
  };
  evaluator_.bits_in_finals = [](const model::NamedValues& configuration) {
    return bits(tuner::testing::x_of(configuration) < 30 ? 8.0 : 7.0);
  };
  const SessionResult result = run(plan(40, "bits"));
  EXPECT_EQ(tuner::testing::x_of(result.best->configuration), 30);
  EXPECT_THAT(result.passed_over, SizeIs(29));
}

TEST_F(DemandedOutputsTest, AnErrorIsBounded) {
  evaluator_.errors_in_finals = [](const model::NamedValues& configuration) -> model::Counters {
    return {{"error_max_ulp", 10.0 - static_cast<double>(tuner::testing::x_of(configuration))}};
  };
  const SessionResult result = run(plan(5, "ulp=7"));
  EXPECT_EQ(tuner::testing::x_of(result.best->configuration), 3);
  EXPECT_EQ(result.passed_over.at(0).verdict.reason, "has error_max_ulp 9");
}

TEST_F(DemandedOutputsTest, ALargerErrorInTheConfirmationCounts) {
  evaluator_.errors_in_finals = [](const model::NamedValues&) -> model::Counters {
    return {{"error_max_ulp", 2.0}};
  };
  evaluator_.confirmation = [](const model::NamedValues& configuration) {
    profiling::timing::Confirmation confirmation;
    confirmation.launches = 300;
    confirmation.errors = {{"error_max_ulp", tuner::testing::x_of(configuration) == 1 ? 4.0 : 1.0}};
    return confirmation;
  };
  const SessionResult result = run(plan(3, "ulp=2"));
  EXPECT_EQ(tuner::testing::x_of(result.best->configuration), 2);
  EXPECT_EQ(result.best->counters.at("error_max_ulp"), 2.0);
  EXPECT_EQ(counters_of_x(1, 3).at("error_max_ulp"), 4.0);
}

TEST_F(DemandedOutputsTest, LaunchesOfSeveralFinalRoundsAreAddedSoThatADifferenceIsNotForgotten) {
  evaluator_.bits_in_finals = [](const model::NamedValues&) { return bits(7.0, 1.0); };
  run(plan(3, "runs"));
  evaluator_.bits_in_finals = [](const model::NamedValues&) { return bits(7.0); };
  const SessionResult later = run(plan(3, "runs"));
  EXPECT_EQ(later.best, std::nullopt);
  EXPECT_EQ(counters_of_x(1, 3).at("compared_launches"), 28.0);
  EXPECT_EQ(counters_of_x(1, 3).at("differing_launches"), 1.0);
}

TEST_F(DemandedOutputsTest, ADifferenceSeenInOneConfirmationIsNotForgottenInTheNext) {
  evaluator_.bits_in_finals = [](const model::NamedValues&) { return bits(7.0); };
  std::uint64_t deviating = 2;
  evaluator_.confirmation = [&](const model::NamedValues&) {
    profiling::timing::Confirmation confirmation;
    confirmation.launches = 300;
    confirmation.deviating = deviating;
    return confirmation;
  };
  SessionPlan asked = plan(3, "runs");
  asked.reproducible.reset();
  run(asked);
  deviating = 0;
  run(asked);
  const model::Counters counters = counters_of_x(1, 3);
  EXPECT_EQ(counters.at("deviating_launches"), 0.0);
  EXPECT_EQ(counters.at("compared_launches"), 328.0);
  EXPECT_EQ(counters.at("differing_launches"), 2.0);
  const SessionResult later = run(plan(3, "runs"));
  EXPECT_EQ(tuner::testing::x_of(later.best->configuration), 2);
  EXPECT_THAT(later.passed_over.at(0).verdict.reason, HasSubstr("gave other bits in 2 of "));
}

TEST_F(DemandedOutputsTest, TheCommandThatShowsTheBestDemandsTheSame) {
  SessionPlan asked = plan(3, "ulp=2");
  EXPECT_EQ(query_command(asked, "toy"), "warptune query toy --reproducible=ulp=2");
  asked.reproducible.reset();
  EXPECT_EQ(query_command(asked, "toy"), "warptune query toy");
}

TEST_F(DemandedOutputsTest, BitsOfADefaultThatIsNotThereAreRefused) {
  SessionPlan asked = plan(3, "bits");
  EXPECT_NO_THROW(require_default_to_compare(asked));
  asked.default_configuration.clear();
  try {
    require_default_to_compare(asked);
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("has none: give --reproducible=runs"));
  }
  asked.reproducible = model::outputs::Reproducibility::parse("runs");
  EXPECT_NO_THROW(require_default_to_compare(asked));
}

TEST_F(DemandedOutputsTest, AnInterruptedSessionHasNoBestUnlessItIsKnownToMeetTheDemand) {
  evaluator_.interleaved = [&](const model::NamedValues& configuration) {
    cancellation_.cancel();
    return std::vector<double>(9, 1000.0 + static_cast<double>(tuner::testing::x_of(configuration)));
  };
  const SessionResult result = run(plan(3, "bits"));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.best, std::nullopt);
}

TEST_F(DemandedOutputsTest, WithoutADemandTheBitsAreStoredAndChooseNothing) {
  evaluator_.bits_in_finals = [](const model::NamedValues& configuration) {
    return bits(7.0, tuner::testing::x_of(configuration) == 1 ? 3.0 : 0.0);
  };
  SessionPlan asked = plan(3, "bits");
  asked.reproducible.reset();
  const SessionResult result = run(asked);
  EXPECT_EQ(tuner::testing::x_of(result.best->configuration), 1);
  EXPECT_EQ(result.best->counters.at("output_digest"), 7.0);
  EXPECT_THAT(result.passed_over, IsEmpty());
  EXPECT_EQ(demanded_text(asked, result), "");
}

}  // namespace
}  // namespace warptune::tuner::session::finals
