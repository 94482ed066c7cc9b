#include "tuner/carrying/reference_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::carrying {
namespace {

using model::NamedValues;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::measured;
using ::testing::Not;
using ::testing::SizeIs;

NamedValues at(std::int64_t a, std::int64_t b, bool c = false) { return {{"A", a}, {"B", b}, {"C", c}}; }

std::vector<db::StoredMeasurement> rows_of(const std::vector<model::Measurement>& measurements) {
  std::vector<db::StoredMeasurement> rows;
  for (const model::Measurement& one : measurements)
    rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, 1, one, false});
  return rows;
}

// All configurations of A and B below `size`.
std::vector<db::StoredMeasurement> grid(std::int64_t size) {
  std::vector<model::Measurement> all;
  for (std::int64_t a = 0; a < size; ++a) {
    for (std::int64_t b = 0; b < size; ++b) all.push_back(measured(at(a, b, (a + b) % 2 == 0), 10.0));
  }
  return rows_of(all);
}

TEST(ReferenceChoice, HasEachValueOfEachRowAndBeginsWithTheGivenOnes) {
  const auto rows = grid(20);
  const auto chosen = choose_references(rows, {at(3, 4), at(5, 5), at(3, 4)});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ((*chosen)[0], at(3, 4));
  EXPECT_EQ((*chosen)[1], at(5, 5));
  EXPECT_EQ(uncovered_value(rows, *chosen), std::nullopt);
  EXPECT_THAT(*chosen, SizeIs(::testing::AllOf(::testing::Ge(20U), ::testing::Le(22U))));
  EXPECT_EQ(std::set<NamedValues>(chosen->begin(), chosen->end()).size(), chosen->size());
}

TEST(ReferenceChoice, UsesItsRoomForPairsAndKnowsWhenThereAreNoMore) {
  const auto chosen = choose_references(grid(3), {at(0, 0, true)});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_THAT(*chosen, SizeIs(9U)) << "each of the nine pairs of A and B is in one row only";
  const auto larger = choose_references(grid(8), {at(0, 0, true)});
  ASSERT_TRUE(larger.has_value());
  EXPECT_THAT(*larger, SizeIs(kPairReferences));
}

TEST(ReferenceChoice, DoesNotDependOnTheOrderOfTheRows) {
  auto rows = grid(9);
  const auto chosen = choose_references(rows, {at(1, 1)});
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(choose_references(rows, {at(1, 1)}), chosen);
}

TEST(ReferenceChoice, TakesOnlyRowsWithATime) {
  const auto rows = rows_of({measured(at(1, 1), 10.0), testing::dropped(at(2, 1), 20.0),
                             testing::failed(at(3, 1), model::Status::kCompileFailed, "no"),
                             testing::failed(at(4, 1), model::Status::kWrongResult, "differs")});
  const auto chosen = choose_references(rows, {});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_THAT(*chosen, ElementsAre(at(1, 1), at(2, 1)));
  EXPECT_EQ(uncovered_value(rows, *chosen), std::nullopt);
}

TEST(ReferenceChoice, IsNoneIfItWouldNeedTooMany) {
  EXPECT_TRUE(choose_references(grid(static_cast<std::int64_t>(kMaxReferences)), {at(0, 0)}).has_value());
  EXPECT_FALSE(
      choose_references(grid(static_cast<std::int64_t>(kMaxReferences) + 2), {at(0, 0)}).has_value());
}

TEST(ReferenceChoice, NamesAValueThatNoReferenceHas) {
  const auto rows = rows_of({measured(at(1, 1), 10.0), measured(at(1, 7), 10.0)});
  EXPECT_EQ(uncovered_value(rows, {at(1, 1)}), "B=7");
  EXPECT_EQ(uncovered_value(rows, {at(1, 1), at(9, 7, true)}), std::nullopt);
}

}  // namespace
}  // namespace warptune::tuner::carrying
