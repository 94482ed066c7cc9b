// Also the test of predicted_loss.cpp, cover_gaps.cpp and covers/size_cover.cpp.
#include "tuner/covering/cover_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/tuner/covering/sized_gpu.h"
#include "tuner/covering/cover_gaps.h"
#include "tuner/covering/predicted_loss.h"

namespace warptune::tuner::covering {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CoverSearchTest : public ::testing::Test {
 protected:
  CoverSearchTest() {
    goal_.range = gpu_.range;
    goal_.budget = session::Budget::parse("900");
    goal_.check_budget = session::Budget::parse("25");
  }
  CoverOutcome run(std::uint64_t earlier = 0) {
    return search_cover(
        goal_, table_, earlier, [this](const SizeTask& task) { return gpu_.measure(task); },
        [] { return 0.0; }, [this](const CoverProgress& progress) { progress_.push_back(progress); });
  }

  SizedGpu gpu_;
  CoverGoal goal_;
  covers::CoverTable table_;
  std::vector<CoverProgress> progress_;
};

TEST_F(CoverSearchTest, NoMeasuredSizeLosesMoreThanTheLimit) {
  const CoverOutcome outcome = run();
  ASSERT_TRUE(outcome.cover);
  EXPECT_LE(outcome.cover->worst_loss, goal_.limit_share);
  EXPECT_LE(outcome.cover->mean_loss, outcome.cover->worst_loss);
  for (std::size_t s = 0; s < table_.sizes.size(); ++s) {
    if (table_.sizes[s].held_back) continue;
    EXPECT_LE(table_.loss(outcome.cover->answer(table_.sizes[s].size), s).value(), goal_.limit_share);
  }
  EXPECT_LE(outcome.cover->configurations.size(), 12U) << "of 25";
  EXPECT_GE(outcome.cover->configurations.size(), 2U);
}

// The share of sizes between the measured ones that `loss_at` leaves within the limit.
double share_within(double limit_share, const std::function<double(const covers::Size&)>& loss_at) {
  base::Random random(99);
  int within = 0;
  constexpr int kDrawn = 400;
  for (int i = 0; i < kDrawn; ++i) {
    covers::Size size;
    for (int e = 0; e < 2; ++e)
      size.push_back(static_cast<std::int64_t>(64.0 * std::exp2(7.0 * random.unit())));
    within += loss_at(size) <= limit_share ? 1 : 0;
  }
  return static_cast<double>(within) / kDrawn;
}

TEST_F(CoverSearchTest, TheListIsBetterBetweenMeasuredSizesThanAnySingleConfiguration) {
  const CoverOutcome outcome = run();
  const auto loss = [](const covers::Size& size, const model::NamedValues& configuration) {
    return SizedGpu::time_ns(size, configuration) / SizedGpu::best_ns(size) - 1.0;
  };
  const double listed = share_within(goal_.limit_share, [&](const covers::Size& size) {
    return loss(size, table_.configurations[outcome.cover->answer(size)]);
  });
  double single = 0.0;
  for (const model::NamedValues& one : SizedGpu::space())
    single = std::max(
        single, share_within(goal_.limit_share, [&](const covers::Size& size) { return loss(size, one); }));
  EXPECT_GT(listed, 1.2 * single) << listed << " and " << single;
}

TEST_F(CoverSearchTest, HeldBackSizesTakeNoPartAndAreMeasuredLast) {
  const CoverOutcome outcome = run();
  ASSERT_THAT(outcome.checked, SizeIs(goal_.checks));
  bool any_held_back = false;
  for (const SizeTask& task : gpu_.seen) {
    EXPECT_TRUE(task.held_back || !any_held_back);
    any_held_back = any_held_back || task.held_back;
  }
  EXPECT_EQ(outcome.evaluations + outcome.check_evaluations, gpu_.evaluations);
  for (const CheckedSize& one : outcome.checked) {
    const double time =
        SizedGpu::time_ns(one.at.size, table_.configurations[outcome.cover->answer(one.at.size)]);
    EXPECT_NEAR(one.loss, time / SizedGpu::best_ns(one.at.size) - 1.0, 1e-9)
        << "the check tried the whole space";
  }
}

TEST_F(CoverSearchTest, TheBudgetIsKept) {
  goal_.budget = session::Budget::parse("200");
  const CoverOutcome outcome = run();
  EXPECT_LE(outcome.evaluations, 230U) << "a size that was begun is finished";
  EXPECT_GE(outcome.evaluations, 120U);
  EXPECT_FALSE(outcome.settled);
}

TEST_F(CoverSearchTest, AnInterruptedCoverContinuesWithWhatItHas) {
  gpu_.interrupt_at = 15;
  const CoverOutcome first = run();
  EXPECT_TRUE(first.interrupted);
  EXPECT_THAT(first.checked, IsEmpty());
  ASSERT_TRUE(first.cover);
  const std::uint64_t before = gpu_.evaluations;
  EXPECT_EQ(first.evaluations, before);
  const std::size_t sizes = table_.sizes.size();
  gpu_.seen.clear();
  const CoverOutcome second = run(before);
  EXPECT_FALSE(second.interrupted);
  EXPECT_GT(table_.sizes.size(), sizes);
  EXPECT_LE(second.cover->worst_loss, goal_.limit_share);
  EXPECT_EQ(second.evaluations + second.check_evaluations, gpu_.evaluations);
}

TEST_F(CoverSearchTest, ARepeatedCoverChecksTheSameSizesWithoutMeasuringThem) {
  run();
  const std::uint64_t evaluations = gpu_.evaluations;
  std::vector<covers::Size> held_back;
  for (const covers::CoverSize& one : table_.sizes) {
    if (one.held_back) held_back.push_back(one.size);
  }
  gpu_.seen.clear();
  const CoverOutcome again = run(evaluations);
  EXPECT_THAT(again.checked, SizeIs(goal_.checks));
  EXPECT_THAT(gpu_.seen, IsEmpty());
  for (const CheckedSize& one : again.checked) EXPECT_THAT(held_back, ::testing::Contains(one.at.size));
}

TEST_F(CoverSearchTest, ASizeThatCannotBeMeasuredIsLeftOutWithTheReason) {
  gpu_.broken = {8192, 8192};  // A corner.
  const CoverOutcome outcome = run();
  ASSERT_THAT(outcome.failed, SizeIs(1));
  EXPECT_EQ(outcome.failed[0].size, gpu_.broken);
  EXPECT_EQ(outcome.failed[0].reason, "it is broken");
  EXPECT_TRUE(outcome.cover);
}

TEST_F(CoverSearchTest, SizesThatOccurOftenAreMeasuredFirst) {
  std::string list;
  for (std::int64_t m = 64; m <= 8192; m *= 2) {
    for (std::int64_t n = 64; n <= 8192; n *= 2)
      list += "M=" + std::to_string(m) + " N=" + std::to_string(n) + (n == 256 ? " weight 50\n" : "\n");
  }
  goal_.range = covers::parse_size_list(list, "list");
  goal_.budget = session::Budget::parse("500");
  goal_.checks = 0;
  run();
  std::size_t often = 0;
  for (const covers::CoverSize& one : table_.sizes) often += one.weight > 1.0 ? 1U : 0U;
  EXPECT_GE(often, 7U) << "8 of 64 sizes have a weight";
  EXPECT_LT(table_.sizes.size(), 40U);
}

TEST_F(CoverSearchTest, NothingMeasuredIsNoCover) {
  goal_.range = covers::parse_range("M=64, N=64", "here");
  gpu_.broken = {64, 64};
  const CoverOutcome outcome = run();
  EXPECT_FALSE(outcome.cover);
  EXPECT_THAT(outcome.failed, SizeIs(1));
}

// `bits` of a configuration with large blocks are others than those of the default at large sizes.
class ReproducibleCoverTest : public CoverSearchTest {
 protected:
  ReproducibleCoverTest() {
    goal_.reproducible = model::outputs::Reproducibility::parse("bits");
    gpu_.outputs = [](const covers::Size& size, const model::NamedValues& configuration) {
      return is_wide(configuration) && size[1] >= 512 ? covers::OutputsKnown::kUnmet
                                                      : covers::OutputsKnown::kMet;
    };
  }
  static bool is_wide(const model::NamedValues& configuration) {
    return std::get<std::int64_t>(configuration[1].second) >= 128;
  }
  bool chooses(const CoverOutcome& outcome, const model::NamedValues& configuration) const {
    return std::ranges::any_of(outcome.cover->configurations,
                               [&](std::size_t c) { return table_.configurations[c] == configuration; });
  }
};

TEST_F(ReproducibleCoverTest, NoConfigurationOfTheCoverHasOtherOutputsAtAnySize) {
  const CoverOutcome outcome = run();
  ASSERT_TRUE(outcome.cover);
  for (const std::size_t c : outcome.cover->configurations)
    EXPECT_FALSE(is_wide(table_.configurations[c])) << "although it is right at small sizes";
  EXPECT_EQ(covers::min_compared_sizes(table_, *outcome.cover), table_.sizes.size());
  EXPECT_GT(table_.excluded_count(), 0U);
  EXPECT_LE(outcome.cover->worst_loss, goal_.limit_share) << "against the best of the others";
  EXPECT_GT(outcome.cover->worst_loss_against_all, outcome.cover->worst_loss);
  EXPECT_GE(outcome.cover->mean_loss_against_all, outcome.cover->mean_loss);
  EXPECT_THAT(outcome.checked, SizeIs(goal_.checks));
  for (const CheckedSize& one : outcome.checked) EXPECT_TRUE(std::isfinite(one.loss));
}

TEST_F(ReproducibleCoverTest, SizesAtWhichTheLossAgainstAllIsAboveTheLimitAreCounted) {
  const CoverOutcome outcome = run();
  std::size_t beyond = 0;
  for (std::size_t s = 0; s < table_.sizes.size(); ++s) {
    if (table_.sizes[s].held_back) continue;
    const std::size_t answer = outcome.cover->answer(table_.sizes[s].size);
    EXPECT_GE(table_.loss_against_all(answer, s), table_.loss(answer, s).value());
    beyond += table_.loss_against_all(answer, s) > goal_.limit_share ? 1U : 0U;
  }
  EXPECT_EQ(outcome.cover->beyond_limit, beyond);
  EXPECT_GT(beyond, 0U);
}

TEST_F(ReproducibleCoverTest, OtherOutputsAtAHeldBackSizeExcludeAConfigurationAndTheCoverIsCheckedAgain) {
  gpu_.outputs = [](const covers::Size&, const model::NamedValues&) { return covers::OutputsKnown::kMet; };
  const CoverOutcome free = run();
  const model::NamedValues refused = table_.configurations[free.cover->answer(free.checked[0].at.size)];
  gpu_ = SizedGpu();
  table_ = covers::CoverTable();
  gpu_.outputs = [&](const covers::Size&, const model::NamedValues& configuration) {
    return gpu_.seen.back().held_back && configuration == refused ? covers::OutputsKnown::kUnmet
                                                                  : covers::OutputsKnown::kMet;
  };
  const CoverOutcome outcome = run();
  ASSERT_TRUE(chooses(free, refused));
  EXPECT_FALSE(chooses(outcome, refused));
  EXPECT_EQ(table_.excluded_count(), 1U);
  EXPECT_THAT(outcome.checked, SizeIs(goal_.checks));
  for (const CheckedSize& one : outcome.checked) EXPECT_TRUE(std::isfinite(one.loss));
  EXPECT_EQ(covers::min_compared_sizes(table_, *outcome.cover), table_.sizes.size());
}

TEST_F(ReproducibleCoverTest, AnErrorThatIsTooLargeAtOneSizeSaysNothingAboutOthers) {
  goal_.reproducible = model::outputs::Reproducibility::parse("ulp=8");
  gpu_.outputs = [](const covers::Size& size, const model::NamedValues& configuration) {
    return is_wide(configuration) && size[1] < 512 ? covers::OutputsKnown::kUnmet
                                                   : covers::OutputsKnown::kMet;
  };
  const CoverOutcome outcome = run();
  EXPECT_EQ(table_.excluded_count(), 0U);
  bool any_wide = false;
  for (std::size_t s = 0; s < table_.sizes.size(); ++s) {
    const std::size_t answer = outcome.cover->answer(table_.sizes[s].size);
    if (table_.sizes[s].held_back) continue;
    EXPECT_EQ(table_.sizes[s].outputs[answer], covers::OutputsKnown::kMet);
    any_wide = any_wide || is_wide(table_.configurations[answer]);
  }
  EXPECT_TRUE(any_wide);
}

TEST_F(ReproducibleCoverTest, WithoutAConfigurationThatMayAnswerThereIsNoCoverAndTheSizesAreLeftOut) {
  gpu_.outputs = [](const covers::Size&, const model::NamedValues&) { return covers::OutputsKnown::kUnmet; };
  goal_.budget = session::Budget::parse("100");
  const CoverOutcome outcome = run();
  EXPECT_FALSE(outcome.cover);
  ASSERT_FALSE(outcome.failed.empty());
  EXPECT_EQ(outcome.failed[0].reason, "no configuration could be measured that meets the demand");
}

// Configurations from 0, with the time that each has at all sizes and the outputs that are known.
covers::CoverRow row_of(std::int64_t configuration, double time_ns,
                        covers::OutputsKnown outputs = covers::OutputsKnown::kMet) {
  covers::CoverRow row{{}, outputs};
  row.measurement.configuration = {{"A", configuration}};
  row.measurement.status = model::Status::kMeasured;
  row.measurement.time = model::TimeSummary{time_ns};
  return row;
}

TEST_F(CoverSearchTest, TheCoverIsDerivedFromTheTimesThatTheComparisonsMeasured) {
  // Each session measures A = 0 and A = 1 at the small sizes, and A = 0 and A = 2 at the large ones, of which
  // A = 0 is never the fastest. A = 1 and A = 2 have a time at the other sizes when they are compared there.
  goal_.range = covers::parse_range("N={64,128,1024,2048}", "here");
  goal_.reproducible = model::outputs::Reproducibility::parse("bits");
  goal_.checks = 0;
  std::size_t compared = 0;
  const CoverOutcome outcome = search_cover(
      goal_, table_, 0,
      [&](const SizeTask& task) {
        const bool is_small = task.at.size[0] < 1000;
        SizeRows rows;
        if (task.searches) {
          rows.rows = {row_of(0, 200.0), row_of(is_small ? 1 : 2, 100.0)};
        } else {
          ++compared;
          for (const model::NamedValues& named : task.named)
            rows.rows.push_back(row_of(std::get<std::int64_t>(named[0].second), is_small ? 80.0 : 120.0));
        }
        rows.evaluated = rows.rows.size();
        return rows;
      },
      [] { return 0.0; }, [](const CoverProgress&) {});
  ASSERT_TRUE(outcome.cover);
  EXPECT_GT(compared, 0U);
  const std::optional<covers::SizeCover> again = covers::derive_cover({"N"}, table_, {goal_.limit_share});
  EXPECT_EQ(outcome.cover->configurations, again->configurations);
  EXPECT_EQ(outcome.cover->worst_loss, again->worst_loss);
  for (std::size_t s = 0; s < table_.sizes.size(); ++s)
    EXPECT_LE(table_.loss(outcome.cover->answer(table_.sizes[s].size), s).value(), goal_.limit_share);
}

TEST(CoverGapsTest, WhatIsNamedForNothingIsNamedLater) {
  covers::CoverTable table;
  table.demanded = model::outputs::Reproducibility::parse("bits");
  table.add({64}, 1.0, false, {row_of(1, 100.0)});
  table.add({70}, 1.0, false, {row_of(0, 100.0), row_of(1, 100.0)});
  const std::size_t a = table.add_configuration({{"A", std::int64_t{0}}});
  const std::size_t b = table.add_configuration({{"A", std::int64_t{1}}});
  CoverGaps gaps(table);
  EXPECT_THAT(gaps.times_at(gaps.hoped_losses(), 0, {a, b}, {0.1}), IsEmpty())
      << "one of them is known to be within the limit";
  EXPECT_THAT(gaps.outputs_at(0, {a}), ElementsAre(table.configurations[a]));
  EXPECT_THAT(gaps.outputs_at(0, {a}), IsEmpty()) << "it is named once";
}

TEST(PredictedLossTest, NearSizesCountMore) {
  covers::CoverTable table;
  model::Measurement fast, slow;
  fast.configuration = {{"A", std::int64_t{1}}};
  slow.configuration = {{"A", std::int64_t{2}}};
  fast.status = slow.status = model::Status::kMeasured;
  fast.time = model::TimeSummary{100.0};
  slow.time = model::TimeSummary{150.0};
  table.add({64}, 1.0, false, {{fast}, {slow}});
  slow.time = model::TimeSummary{102.0};
  table.add({4096}, 1.0, false, {{fast}, {slow}});
  EXPECT_GT(predicted_loss(table, 1, {128}), 0.3);
  EXPECT_LT(predicted_loss(table, 1, {2048}), 0.1);
  EXPECT_NEAR(predicted_loss(table, 1, {64}), 0.02 + 0.06, 1e-9) << "the size itself is not used";
  EXPECT_TRUE(std::isinf(predicted_loss(table, table.add_configuration({{"A", std::int64_t{3}}}), {64})));
}

TEST(CoverTableTest, DroppedAndFailedRowsCoverNothing) {
  covers::CoverTable table;
  model::Measurement fast, dropped;
  fast.configuration = {{"A", std::int64_t{1}}};
  dropped.configuration = {{"A", std::int64_t{2}}};
  fast.status = model::Status::kMeasured;
  fast.time = model::TimeSummary{100.0};
  dropped.status = model::Status::kDropped;
  dropped.time = model::TimeSummary{90.0};  // An estimate that does not count.
  table.add({64}, 1.0, true, {{dropped}});
  EXPECT_THAT(table.sizes, IsEmpty()) << "nothing has a time";
  table.add({64}, 1.0, true, {{fast}, {dropped}});
  EXPECT_DOUBLE_EQ(table.sizes[0].best_ns, 100.0);
  EXPECT_TRUE(table.sizes[0].held_back);
  EXPECT_FALSE(covers::derive_cover({"M"}, table, {})) << "only a held-back size";
  table.add({64}, 2.0, false, {});
  EXPECT_FALSE(table.sizes[0].held_back);
  const std::optional<covers::SizeCover> cover = covers::derive_cover({"M"}, table, {});
  ASSERT_TRUE(cover);
  EXPECT_THAT(cover->configurations, SizeIs(1));
  EXPECT_EQ(table.configurations[cover->answer({999})], fast.configuration);
}

}  // namespace
}  // namespace warptune::tuner::covering
