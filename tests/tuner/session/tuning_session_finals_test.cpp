#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session {
namespace {

using model::Status;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class TuningSessionFinalsTest : public testing::SessionTest {
 protected:
  static SessionPlan plan(std::int64_t size) {
    SessionPlan plan = testing::line_plan(size);
    plan.final_rounds = 9;
    return plan;
  }

  static std::vector<double> samples(double median_ns) {
    std::vector<double> samples;
    for (int i = -4; i <= 4; ++i) samples.push_back(median_ns + 0.1 * i);
    return samples;
  }

  static std::vector<std::int64_t> xs_of(const std::vector<model::NamedValues>& configurations) {
    std::vector<std::int64_t> xs;
    for (const model::NamedValues& configuration : configurations) xs.push_back(testing::x_of(configuration));
    return xs;
  }
};

TEST_F(TuningSessionFinalsTest, TheFinalRoundsDecideAndTheirTimesAreStored) {
  // X = 1 was lucky once: 1001 ns early, 1040 ns in the end.
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    return samples(x == 1 ? 1040.0 : 1000.0 + static_cast<double>(x));
  };
  const SessionResult result = run(plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 2);
  EXPECT_DOUBLE_EQ(result.best->time->median_ns, 1002.0);
  EXPECT_THAT(result.best->samples_ns, SizeIs(9));
  for (const db::StoredMeasurement& row : store_.measurements(plan(5).workload)) {
    if (testing::x_of(row.measurement.configuration) == 1) {
      EXPECT_DOUBLE_EQ(row.measurement.time->median_ns, 1040.0);
    }
  }
}

TEST_F(TuningSessionFinalsTest, AnUnconfirmedLeaderIsConfirmedInAFurtherTurn) {
  // All are within 5 %. The first eight are finalists and turn out slower. So the ninth leads and must be
  // timed, too.
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    return samples(x <= 8 ? 1045.0 + static_cast<double>(x) : 1000.0 + static_cast<double>(x));
  };
  const SessionResult result = run(plan(10));
  EXPECT_EQ(testing::x_of(result.best->configuration), 9);
  ASSERT_THAT(evaluator_.final_rounds, SizeIs(2));
  EXPECT_THAT(xs_of(evaluator_.final_rounds[1]), Contains(9));
}

TEST_F(TuningSessionFinalsTest, OnlyTheNearAndTheDefaultAreTimedAgain) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    constexpr double kTimes[] = {0, 1000, 1049, 1051, 2000, 3000};
    return testing::measured(configuration, kTimes[testing::x_of(configuration)]);
  };
  run(plan(5));
  ASSERT_THAT(evaluator_.final_rounds, SizeIs(1));
  EXPECT_THAT(xs_of(evaluator_.final_rounds[0]), ElementsAre(1, 2, 5));
  ASSERT_EQ(listener_.finals.size(), 1U);
  EXPECT_EQ(listener_.finals[0].finalists, 3U);
  EXPECT_EQ(listener_.finals[0].rounds, 9);
}

TEST_F(TuningSessionFinalsTest, WhatIsWrongInTheFinalsIsStoredAsWrongAndNeverBest) {
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return samples(1000.0 + static_cast<double>(testing::x_of(configuration)));
  };
  evaluator_.fault_in_finals = [](const model::NamedValues& configuration) {
    return testing::x_of(configuration) <= 2
               ? std::optional(model::Rejection{Status::kWrongResult, "wrong in the finals"})
               : std::nullopt;
  };
  const SessionResult result = run(plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 3);
  for (const db::StoredMeasurement& row : store_.measurements(plan(5).workload)) {
    const bool wrong = testing::x_of(row.measurement.configuration) <= 2;
    EXPECT_EQ(row.measurement.status, wrong ? Status::kWrongResult : Status::kMeasured);
    EXPECT_EQ(row.measurement.reason, wrong ? "wrong in the finals" : "");
  }
  EXPECT_THAT(listener_.warnings, Contains(HasSubstr("X=1 is not ranked: wrong in the finals")));
}

TEST_F(TuningSessionFinalsTest, TheBestIsConfirmedAndTheNextTakesItsPlaceWhereItFails) {
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return samples(1000.0 + 100.0 * static_cast<double>(testing::x_of(configuration)));
  };
  evaluator_.confirmation = [](const model::NamedValues& configuration) {
    profiling::timing::Confirmation confirmation;
    confirmation.launches = 300;
    confirmation.deviating = 2;
    confirmation.deviation_of_tolerance = 0.125;
    if (testing::x_of(configuration) < 3) confirmation.verdict = {Status::kImplausible, "remembers"};
    return confirmation;
  };
  const SessionResult result = run(plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 3);
  EXPECT_THAT(xs_of(evaluator_.confirmed), ElementsAre(1, 2, 3));
  std::size_t implausible = 0;
  for (const db::StoredMeasurement& row : store_.measurements(plan(5).workload)) {
    if (row.measurement.status == Status::kImplausible) ++implausible;
    if (testing::x_of(row.measurement.configuration) != 3) continue;
    EXPECT_EQ(row.measurement.counters.at("verified_launches"), 300.0);
    EXPECT_EQ(row.measurement.counters.at("deviating_launches"), 2.0);
    EXPECT_NEAR(row.measurement.counters.at("detection_chance"), 0.951, 1e-3);
    EXPECT_EQ(row.measurement.counters.at("deviation_of_tolerance"), 0.125);
    EXPECT_EQ(row.measurement.counters.count("x"), 1U);  // Its counters stay.
  }
  EXPECT_EQ(implausible, 2U);
  EXPECT_THAT(
      listener_.warnings,
      Contains(HasSubstr("X=3 is nondeterministic: 2 of 300 launches gave other bits, at most 0.12 of")));
  ASSERT_THAT(listener_.confirmations, SizeIs(3));
  EXPECT_FALSE(listener_.confirmations[0].has_passed());
  EXPECT_TRUE(listener_.confirmations[2].has_passed());
}

TEST_F(TuningSessionFinalsTest, WhatEndsTheWorkerInItsConfirmationIsNeverBestAndHasNoLaunches) {
  evaluator_.confirmation = [](const model::NamedValues& configuration) {
    profiling::timing::Confirmation confirmation;
    if (testing::x_of(configuration) == 1) {
      confirmation.verdict = {Status::kWorkerDied, "the GPU worker ended"};
    } else {
      confirmation.launches = 300;
    }
    return confirmation;
  };
  // The evaluator cannot time finalists, because one of them ends the worker there, too.
  const SessionResult result = run(plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 2);
  EXPECT_EQ(result.best->counters.at("verified_launches"), 300.0);
  EXPECT_THAT(xs_of(evaluator_.confirmed), ElementsAre(1, 2));
  EXPECT_THAT(evaluator_.final_rounds, SizeIs(2));  // Without the one that failed they may be timed.
  EXPECT_THAT(listener_.warnings, Contains(HasSubstr("X=1 is not ranked: the GPU worker ended")));
  for (const db::StoredMeasurement& row : store_.measurements(plan(5).workload)) {
    if (testing::x_of(row.measurement.configuration) != 1) continue;
    EXPECT_EQ(row.measurement.status, Status::kWorkerDied);
    EXPECT_EQ(row.measurement.counters.count("verified_launches"), 0U);
  }
}

TEST_F(TuningSessionFinalsTest, WhatHangsInItsConfirmationIsTimedOutAndTheNextTakesItsPlace) {
  evaluator_.confirmation = [](const model::NamedValues& configuration) {
    profiling::timing::Confirmation confirmation;
    if (testing::x_of(configuration) == 1) {
      confirmation.verdict = {Status::kTimedOut, "a launch took more than 0.5 s"};
    } else {
      confirmation.launches = 300;
    }
    return confirmation;
  };
  const SessionResult result = run(plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 2);
  EXPECT_THAT(listener_.warnings, Contains(HasSubstr("X=1 is not ranked: a launch took more than 0.5 s")));
  for (const db::StoredMeasurement& row : store_.measurements(plan(5).workload)) {
    if (testing::x_of(row.measurement.configuration) != 1) continue;
    EXPECT_EQ(row.measurement.status, Status::kTimedOut);
    EXPECT_EQ(row.measurement.counters.count("verified_launches"), 0U);
  }
}

TEST_F(TuningSessionFinalsTest, ResultsThatMayDifferByTheDefinitionAreKeptWithTheRowWithoutAWarning) {
  evaluator_.interleaved = [](const model::NamedValues&) { return samples(1000.0); };
  evaluator_.confirmation = [](const model::NamedValues&) {
    profiling::timing::Confirmation confirmation;
    confirmation.launches = 300;
    confirmation.deviating = 2;
    confirmation.is_nondeterministic = true;
    return confirmation;
  };
  const SessionResult result = run(plan(3));
  EXPECT_EQ(result.best->counters.at("deviating_launches"), 2.0);
  EXPECT_EQ(result.best->counters.count("deviation_of_tolerance"), 0U);  // It is unknown.
  EXPECT_THAT(listener_.warnings, Not(Contains(HasSubstr("nondeterministic"))));
}

TEST_F(TuningSessionFinalsTest, WhereNothingStandsUpNothingIsBest) {
  evaluator_.interleaved = [](const model::NamedValues&) { return samples(1000.0); };
  evaluator_.confirmation = [](const model::NamedValues&) {
    profiling::timing::Confirmation confirmation;
    confirmation.verdict = {Status::kWrongResult, "never right"};
    return confirmation;
  };
  EXPECT_EQ(run(plan(3)).best, std::nullopt);
}

TEST_F(TuningSessionFinalsTest, AmongTiesTheSimplestIsTheBestAndStaysItInTheDatabase) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    model::Measurement measurement = testing::measured(configuration, 1000.0 + 5.0 * static_cast<double>(x));
    measurement.resources.registers_per_thread = x == 3 ? 32 : 64;
    return measurement;
  };
  // X = 4 is the fastest. X = 2 and 3 differ from it in both directions, round by round. X = 1 is slower in
  // each round.
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    if (x == 4) return std::vector<double>(9, 900.0);
    std::vector<double> noisy = samples(x == 2 ? 900.1 : x == 3 ? 900.2 : 904.0);
    for (double& sample : noisy) sample += 3.0 * (sample - noisy[4]);
    return noisy;
  };
  const SessionResult result = run(plan(5));
  EXPECT_EQ(testing::x_of(result.best->configuration), 3);
  EXPECT_THAT(xs_of(result.tied), ElementsAre(4, 2));
  EXPECT_EQ(testing::x_of(store_.winners("toy", "").at(0).best.configuration), 3);
  const SessionResult again = run(plan(5));
  EXPECT_EQ(testing::x_of(again.best->configuration), 3);
}

TEST_F(TuningSessionFinalsTest, AChoiceOfAnEarlierSessionEndsWhenALaterOneFindsItSlower) {
  evaluator_.interleaved = [](const model::NamedValues&) { return samples(900.0); };
  EXPECT_EQ(testing::x_of(run(plan(5)).best->configuration), 5);  // The default, as all are equally fast.
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return samples(testing::x_of(configuration) == 5 ? 950.0 : 900.0);
  };
  const SessionResult later = run(plan(5));
  EXPECT_EQ(testing::x_of(later.best->configuration), 1);
  EXPECT_EQ(testing::x_of(store_.winners("toy", "").at(0).best.configuration), 1);
}

TEST_F(TuningSessionFinalsTest, ATieThatIsMoreThanOnePerCentSlowerIsNeverTheChoice) {
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    // The default, X = 5, is so noisy that no number of rounds distinguishes it, but it is 2 % slower.
    if (testing::x_of(configuration) != 5)
      return samples(900.0 + static_cast<double>(testing::x_of(configuration)));
    return std::vector<double>{800, 820, 850, 870, 918, 930, 950, 980, 999};
  };
  const SessionResult result = run(plan(5));
  EXPECT_NE(testing::x_of(result.best->configuration), 5);
  EXPECT_THAT(xs_of(result.tied), ::testing::Contains(5));
}

TEST_F(TuningSessionFinalsTest, WhereNothingCanBeTimedAgainTheEarlyTimesStand) {
  const SessionResult result = run(plan(5));
  EXPECT_THAT(evaluator_.final_rounds, SizeIs(1));
  EXPECT_EQ(testing::x_of(result.best->configuration), 1);
  EXPECT_DOUBLE_EQ(result.best->time->median_ns, 1001.0);
  EXPECT_THAT(result.tied, IsEmpty());
}

TEST_F(TuningSessionFinalsTest, AFinalistWithoutSamplesKeepsItsEarlyTime) {
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    return x == 1 ? std::vector<double>{} : samples(1000.0 + static_cast<double>(x));
  };
  const SessionResult result = run(plan(3));
  EXPECT_EQ(testing::x_of(result.best->configuration), 1);
  EXPECT_DOUBLE_EQ(result.best->time->median_ns, 1001.0);
}

TEST_F(TuningSessionFinalsTest, FailuresAreNeverFinalists) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    if (x == 2) return testing::failed(configuration, Status::kTimedOut, "slow");
    model::Measurement measurement = testing::measured(configuration, 1000.0 + static_cast<double>(x));
    if (x == 3) measurement.status = Status::kDropped;
    return measurement;
  };
  run(plan(4));
  EXPECT_THAT(xs_of(evaluator_.final_rounds.at(0)), ElementsAre(1, 4));
}

TEST_F(TuningSessionFinalsTest, ADefaultThatWasDroppedIsTimedProperly) {
  evaluator_.answer = [](const model::NamedValues& configuration) {
    const std::int64_t x = testing::x_of(configuration);
    return x >= 3 ? testing::dropped(configuration, 3000.0) : testing::measured(configuration, 1000.0);
  };
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return samples(testing::x_of(configuration) == 4 ? 2800.0 : 1000.0);
  };
  const SessionResult result = run(plan(4));
  EXPECT_THAT(xs_of(evaluator_.final_rounds.at(0)), ElementsAre(1, 2, 4));
  ASSERT_TRUE(result.default_measurement.has_value());
  EXPECT_EQ(result.default_measurement->status, Status::kMeasured);
  EXPECT_DOUBLE_EQ(result.default_measurement->time->median_ns, 2800.0);
}

TEST_F(TuningSessionFinalsTest, AnInterruptBetweenTurnsEndsThem) {
  evaluator_.interleaved = [&](const model::NamedValues& configuration) {
    cancellation_.cancel();
    return samples(1045.0 + static_cast<double>(testing::x_of(configuration)));
  };
  const SessionResult result = run(plan(20));
  EXPECT_TRUE(result.interrupted);
  EXPECT_THAT(evaluator_.final_rounds, SizeIs(1));
}

TEST_F(TuningSessionFinalsTest,
       AConfirmationThatIsCancelledLeavesTheBestUnconfirmedAndTheSessionInterrupted) {
  evaluator_.interleaved = [](const model::NamedValues& configuration) {
    return samples(1000.0 + static_cast<double>(testing::x_of(configuration)));
  };
  evaluator_.on_confirm = [this] { cancellation_.cancel(); };
  const SessionResult result = run(plan(3));
  EXPECT_TRUE(result.interrupted);
  EXPECT_THAT(evaluator_.confirmed, SizeIs(1));
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best->counters.count("verified_launches"), 0U);
}

}  // namespace
}  // namespace warptune::tuner::session
