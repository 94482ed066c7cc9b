#include "db/lookup.h"

#include <gmock/gmock.h>
#include <algorithm>

#include "tests/db/test_data.h"

namespace warptune::db {
namespace {

using testing::configuration;
using testing::gpu;
using testing::winner;
using testing::workload;

model::NamedValues sizes(std::int64_t m, std::int64_t n, const std::string& type = "f32") {
  return {{"M", m}, {"N", n}, {"dtype", type}};
}

Question question(const model::NamedValues& problem, const model::GpuDescription& asked) {
  Question question;
  question.kernel = "vector-add";
  question.kernel_hash = testing::workload().kernel_hash;
  question.problem = problem;
  question.gpu = asked;
  question.default_configuration = testing::configuration(256);
  return question;
}

const model::GpuDescription kH200 = testing::gpu();
const model::GpuDescription kH100 = testing::gpu(9, 0, 114, "NVIDIA H100 PCIe");
const model::GpuDescription kA100 = testing::gpu(8, 0, 108, "NVIDIA A100");
const model::GpuDescription kRtx3090 = testing::gpu(8, 6, 82, "NVIDIA RTX 3090");

std::vector<Winner> all_winners() {
  return {testing::winner(testing::workload(sizes(1024, 1024), kH200), testing::configuration(1), 10.0),
          testing::winner(testing::workload(sizes(4096, 4096), kH200), testing::configuration(2), 160.0),
          testing::winner(testing::workload(sizes(2048, 2048), kA100), testing::configuration(3), 60.0),
          testing::winner(testing::workload(sizes(512, 512, "f16"), kH200), testing::configuration(4), 1.0)};
}

struct Case {
  const char* what;
  model::NamedValues problem;
  model::GpuDescription gpu;
  MatchTier tier;
  std::int64_t block;
  double distance;
};

TEST(LookupTest, EachQuestionFindsItsTierAndDistance) {
  const std::vector<Case> cases = {
      {"the same", sizes(4096, 4096), kH200, MatchTier::kExact, 2, 0.0},
      {"another order of names",
       {{"dtype", std::string("f32")}, {"N", std::int64_t{4096}}, {"M", std::int64_t{4096}}},
       kH200,
       MatchTier::kExact,
       2,
       0.0},
      {"nearer to 1024", sizes(1500, 1024), kH200, MatchTier::kNearProblem, 1, 0.5507},
      {"nearer to 4096", sizes(4096, 2048), kH200, MatchTier::kNearProblem, 2, 1.0},
      {"same GPU before same problem", sizes(2048, 2048), kH200, MatchTier::kNearProblem, 1, 2.0},
      {"another GPU of the capability", sizes(4096, 4096), kH100, MatchTier::kSameCapability, 2, 0.0},
      {"another of the major", sizes(4096, 2048), kRtx3090, MatchTier::kSameMajor, 3, 1.0},
      {"none of the major", sizes(1024, 2048), testing::gpu(12, 0, 188, "NVIDIA RTX PRO"),
       MatchTier::kPortable, 1, 1.0},
      {"another type", sizes(4096, 4096, "f64"), kH200, MatchTier::kDefault, 256, 0.0},
      {"a size that is not positive", sizes(0, 4096), kH200, MatchTier::kDefault, 256, 0.0},
      {"other names", {{"M", std::int64_t{4096}}}, kH200, MatchTier::kDefault, 256, 0.0}};
  for (const Case& example : cases) {
    const Match match = look_up(all_winners(), question(example.problem, example.gpu));
    EXPECT_EQ(match.tier, example.tier) << example.what;
    EXPECT_EQ(match.configuration, testing::configuration(example.block)) << example.what;
    EXPECT_NEAR(match.distance, example.distance, 1e-4) << example.what;
    EXPECT_EQ(match.winner.has_value(), example.tier < MatchTier::kDefault) << example.what;
  }
}

TEST(LookupTest, StrictFindsOnlyTheExact) {
  Question strict = question(sizes(4096, 4096), kH200);
  strict.strict = true;
  EXPECT_EQ(look_up(all_winners(), strict).tier, MatchTier::kExact);
  strict.problem = sizes(4096, 4097);
  const Match match = look_up(all_winners(), strict);
  EXPECT_EQ(match.tier, MatchTier::kNone);
  EXPECT_TRUE(match.configuration.empty());
}

TEST(LookupTest, WithoutADefaultThereMayBeNothing) {
  Question none = question(sizes(4096, 4096), kH200);
  none.default_configuration.clear();
  EXPECT_EQ(look_up({}, none).tier, MatchTier::kNone);
}

TEST(LookupTest, AnotherHashNeverMatches) {
  Question other = question(sizes(4096, 4096), kH200);
  other.kernel_hash = "another";
  EXPECT_EQ(look_up(all_winners(), other).tier, MatchTier::kDefault);
}

TEST(LookupTest, WhatIsNotValidHereIsPassedOver) {
  Question checked = question(sizes(4096, 4096), kH200);
  checked.valid = [](const model::NamedValues& values, const model::Measurement& evidence) {
    EXPECT_EQ(values, evidence.configuration);
    return std::get<std::int64_t>(*model::find(values, "BLOCK")) != 2;
  };
  const Match match = look_up(all_winners(), checked);
  EXPECT_EQ(match.tier, MatchTier::kNearProblem);
  EXPECT_EQ(match.configuration, testing::configuration(1));
}

TEST(LookupTest, WhereNoWinnerIsValidAnotherRowOfTheNearestWorkloadAnswers) {
  Question checked = question(sizes(4096, 4096), kH200);
  checked.valid = [](const model::NamedValues&, const model::Measurement&) { return false; };
  checked.valid_row = [](const Winner& winner) -> std::optional<model::Measurement> {
    if (winner.best.time->median_ns != 10.0) return std::nullopt;
    return testing::measured(testing::configuration(7), 15.0);
  };
  const Match match = look_up(all_winners(), checked);
  EXPECT_EQ(match.tier, MatchTier::kNearProblem);
  EXPECT_EQ(match.configuration, testing::configuration(7));
  ASSERT_TRUE(match.winner && match.refused);
  EXPECT_EQ(match.winner->best.configuration, testing::configuration(7));
  EXPECT_EQ(match.refused->configuration, testing::configuration(1));
}

TEST(LookupTest, EquallyNearOnesAreDecidedByTheFasterAndNotByTheirOrder) {
  std::vector<Winner> winners = {
      testing::winner(testing::workload(sizes(2048, 1024), kH200), testing::configuration(1), 30.0),
      testing::winner(testing::workload(sizes(512, 1024), kH200), testing::configuration(2), 20.0),
      testing::winner(testing::workload(sizes(1024, 512), kH200), testing::configuration(3), 25.0)};
  std::sort(winners.begin(), winners.end(),
            [](const auto& a, const auto& b) { return a.best.time->median_ns < b.best.time->median_ns; });
  do {
    const Match match = look_up(winners, question(sizes(1024, 1024), kH200));
    EXPECT_EQ(match.configuration, testing::configuration(2));
  } while (std::next_permutation(winners.begin(), winners.end(), [](const auto& a, const auto& b) {
    return a.best.time->median_ns < b.best.time->median_ns;
  }));
}

TEST(LookupTest, ADroppedMeasurementIsNeverAnAnswer) {
  std::vector<Winner> winners = {
      testing::winner(testing::workload(sizes(4096, 4096), kH200), testing::configuration(2), 1.0)};
  winners[0].best.status = model::Status::kDropped;
  EXPECT_EQ(look_up(winners, question(sizes(4096, 4096), kH200)).tier, MatchTier::kDefault);
}

TEST(LookupTest, OnlyWhatWasTimedFromTheAskedCacheStateAnswers) {
  std::vector<Winner> winners = {
      testing::winner(testing::workload(sizes(4096, 4096), kH200), testing::configuration(2), 9.0)};
  Question asked = question(sizes(4096, 4096), kH200);
  asked.cache = model::CacheState::kWarm;
  EXPECT_EQ(look_up(winners, asked).tier, MatchTier::kDefault);
  winners[0].workload.cache = model::CacheState::kWarm;
  EXPECT_EQ(look_up(winners, asked).tier, MatchTier::kExact);
}

TEST(LookupTest, AMeasuredWinnerOfTheSystemComesBeforeAReplayedOneOfTheUser) {
  std::vector<Winner> winners = {
      testing::winner(testing::workload(sizes(4096, 4096), kH200), testing::configuration(1), 10.0),
      testing::winner(testing::workload(sizes(4096, 4096), kH200), testing::configuration(2), 20.0)};
  winners[1].of_system = true;
  const Question asked = question(sizes(4096, 4096), kH200);
  EXPECT_EQ(look_up(winners, asked).configuration, testing::configuration(1));
  winners[0].best.source = model::RowSource::kReplayed;
  EXPECT_EQ(look_up(winners, asked).configuration, testing::configuration(2));
}

TEST(LookupTest, EachTierHasItsName) {
  const std::vector<std::string> names = {"exact",    "near_problem", "same_cc", "same_major",
                                          "portable", "recommended",  "default", "none"};
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(to_string(static_cast<MatchTier>(i)), names[i]);
}

}  // namespace
}  // namespace warptune::db
