// Also the test of the costs in size_cover.cpp.
#include "tuner/covers/cover_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "base/random.h"
#include "tests/tuner/covers/toy_shape.h"
#include "tuner/covers/size_cover.h"

namespace warptune::tuner::covers {
namespace {

constexpr std::int64_t kTiles[] = {16, 64, 256};

std::int64_t best_tile(const Size& size) {
  std::int64_t best = 16;
  for (const std::int64_t one : kTiles) {
    if (one <= size[1] && toy_time_us(one, size) < toy_time_us(best, size)) best = one;
  }
  return best;
}

Size drawn_size(base::Random& random) {
  const double columns = std::exp2(4.0 + 12.0 * random.unit());
  return {static_cast<std::int64_t>(16 + random.below(2000)), static_cast<std::int64_t>(columns)};
}

CoverRow row_of(std::int64_t width, double time_us) {
  model::Measurement row;
  row.configuration = tile(width);
  row.status = model::Status::kMeasured;
  row.time = model::TimeSummary{1e3 * time_us};
  return {row};
}

// All tiles at so many sizes.
CoverTable table_of(std::size_t count) {
  CoverTable table;
  table.shape = toy_shape();
  base::Random random(5);
  while (table.sizes.size() < count) {
    const Size size = drawn_size(random);
    std::vector<CoverRow> rows;
    for (const std::int64_t one : kTiles) {
      if (one <= size[1]) rows.push_back(row_of(one, toy_time_us(one, size)));
    }
    table.add(size, 1.0, false, rows);
  }
  return table;
}

std::vector<std::size_t> all(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

TEST(CoverCostsTest, TheLowestCostAnswersSizesThatWereNotMeasured) {
  const CoverTable table = table_of(60);
  const std::optional<SizeCover> cover = derive_cover({"M", "N"}, table, {0.01});
  ASSERT_TRUE(cover);
  ASSERT_TRUE(cover->costs) << "waves cannot be said by conditions";
  base::Random random(6);
  int right = 0;
  for (int i = 0; i < 200; ++i) {
    const Size size = drawn_size(random);
    const model::NamedValues answer = table.configurations[cover->answer(size)];
    const std::int64_t width = model::to_integer(answer[0].second).value();
    EXPECT_LE(width, std::max<std::int64_t>(size[1], 16)) << "a tile that is valid there";
    right += toy_time_us(width, size) <= 1.05 * toy_time_us(best_tile(size), size) ? 1 : 0;
  }
  EXPECT_GE(right, 190);
}

TEST(CoverCostsTest, WithoutAShapeTheListAnswers) {
  CoverTable table = table_of(20);
  table.shape = nullptr;
  const std::optional<SizeCover> cover = derive_cover({"M", "N"}, table, {});
  ASSERT_TRUE(cover);
  EXPECT_FALSE(cover->costs);
  EXPECT_FALSE(fit_costs(table, all(3), all(20)));
}

// Errors of outputs grow with the size, so what is allowed at one size may not be at another one.
TEST(CoverCostsTest, IfErrorsAreLimitedTheListAnswers) {
  CoverTable table = table_of(20);
  table.demanded = model::outputs::Reproducibility::parse("relative=1e-3");
  EXPECT_FALSE(derive_cover({"M", "N"}, table, {})->costs);
}

TEST(CoverCostsTest, AConfigurationWithFewTimesHasNoCost) {
  CoverTable table = table_of(20);
  const std::size_t rare = table.add_configuration(tile(32));
  const std::optional<CoverCosts> costs = fit_costs(table, {0, rare}, all(20));
  ASSERT_TRUE(costs);
  EXPECT_TRUE(costs->costs[0]);
  EXPECT_FALSE(costs->costs[1]);
  EXPECT_FALSE(costs->cost_us(1, {64, 1024}));
}

TEST(CoverCostsTest, PredictionsKnowWhatIsNotValid) {
  const CoverTable table = table_of(40);
  const CostPredictions predictions(table, all(40));
  const std::vector<std::optional<double>> losses = predictions.losses_at({1024, 100});
  for (std::size_t c = 0; c < losses.size(); ++c) {
    ASSERT_TRUE(losses[c]);
    EXPECT_EQ(std::isinf(*losses[c]), table.configurations[c] == tile(256)) << c;
  }
}

TEST(CoverCostsTest, ChoicesAreJudgedAtSizesThatAreLeftOut) {
  const CoverTable table = table_of(16);
  std::set<std::size_t> counts;
  const double right = left_out_loss(table, all(3), all(16), [&](const std::vector<std::size_t>& others) {
    counts.insert(others.size());
    return [&](const Size& size) {
      for (std::size_t c = 0; c < 3; ++c) {
        if (table.configurations[c] == tile(best_tile(size))) return std::optional(c);
      }
      return std::optional<std::size_t>();
    };
  });
  EXPECT_NEAR(right, 0.0, 1e-9);
  EXPECT_THAT(counts, ::testing::ElementsAre(14));
  EXPECT_NEAR(
      left_out_loss(table, all(3), all(16),
                    [](const auto&) { return [](const Size&) { return std::optional<std::size_t>(); }; }),
      0.2, 1e-9)
      << "no answer";
}

}  // namespace
}  // namespace warptune::tuner::covers
