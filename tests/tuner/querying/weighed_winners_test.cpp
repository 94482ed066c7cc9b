// What `query --explain` says about the results that a look-up weighs.
#include "tuner/querying/weighed_winners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernel_templates/library.h"
#include "tests/tuner/session_data.h"
#include "tuner/knowledge/workload.h"
#include "tuner/querying/weighing_text.h"

namespace warptune::tuner::querying {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;

model::NamedValues values_of(std::int64_t a) { return {{"A", a}, {"B", true}}; }

class WeighedWinnersTest : public ::testing::Test {
 protected:
  WeighedWinnersTest()
      : definition_(kernel_templates::load_kernel_definition(testing::write_toy_kernel(folder_))) {}

  kernel_templates::KernelInstance instance_for(std::int64_t n) const {
    return {definition_, {{"N", n}}, gpu_};
  }

  void store(std::int64_t n, const model::Measurement& row) {
    db::Session session;
    session.workload = knowledge::workload_of(instance_for(n), model::CacheState::kCold);
    session.source = row.source;
    store_.add_measurement(store_.begin_session(session), row);
  }

  // The times of A = 1, 2, 3 for a size.
  void store_times(std::int64_t n, std::array<double, 3> times_ns,
                   model::RowSource source = model::RowSource::kMeasured) {
    db::Session session;
    session.workload = knowledge::workload_of(instance_for(n), model::CacheState::kCold);
    session.source = source;
    const std::int64_t id = store_.begin_session(session);
    for (std::int64_t a = 1; a <= 3; ++a) {
      model::Measurement row = testing::measured(values_of(a), times_ns[static_cast<std::size_t>(a) - 1]);
      row.source = source;
      store_.add_measurement(id, row);
    }
  }

  // Without `match`, it is the result of a look-up.
  Weighing weigh_for(std::int64_t n, model::CacheState cache = model::CacheState::kCold,
                     const std::optional<db::Match>& match = {}) {
    const kernel_templates::KernelInstance instance = instance_for(n);
    db::Question question;
    question.kernel = "toy";
    question.kernel_hash = definition_.hash;
    question.problem = instance.problem();
    question.gpu = instance.gpu();
    question.cache = cache;
    const std::vector<db::Winner> winners = store_.winners("toy", definition_.hash);
    return weigh(winners, winners, question, match ? *match : db::look_up(winners, question), instance,
                 model::Objective(), [this](const db::Winner&) -> const db::Store& { return store_; });
  }

  testing::TemporaryFolder folder_;
  model::GpuDescription gpu_ = model::fictional_gpu();
  kernel_templates::KernelDefinition definition_;
  db::Store store_{folder_ / "a.db"};
};

TEST_F(WeighedWinnersTest, AreListedNearestFirstWithWhatTheirLikeLostElsewhere) {
  store_times(1024, {100, 110, 150});  // Its winner, A = 1, loses 50 % at 2048.
  store_times(2048, {300, 200, 500});  // Its winner, A = 2, loses 10 % at 1024 and none at 65536.
  store_times(65536, {900, 600, 800});
  const Weighing weighing = weigh_for(4096);
  ASSERT_EQ(weighing.winners.size(), 3U);
  const WeighedWinner& nearest = weighing.winners[0];
  EXPECT_EQ(nearest.winner.workload.problem, (model::NamedValues{{"N", std::int64_t{2048}}}));
  EXPECT_EQ(nearest.tier, db::MatchTier::kNearProblem);
  EXPECT_EQ(nearest.distance, 1.0);
  EXPECT_TRUE(nearest.chosen);
  ASSERT_TRUE(nearest.loss.has_value());
  EXPECT_EQ(nearest.loss->count, 2U) << "1024 and 2048; 65536 is five doublings away";
  EXPECT_THAT(nearest.loss->median, DoubleNear(0.3, 1e-9));
  EXPECT_THAT(nearest.loss->maximum, DoubleNear(0.5, 1e-9));
  EXPECT_FALSE(weighing.winners[1].chosen);
  EXPECT_EQ(weighing.winners[2].loss->count, 4U)
      << "pairs of at most five doublings; 1024 and 65536 are six apart";
  EXPECT_EQ(weighing.left_out, 0U);
  const std::string text = weighing_text(weighing, model::Objective());
  EXPECT_THAT(text, HasSubstr("30 %, up to 50 % (2 pairs)"));
  EXPECT_THAT(text, HasSubstr("the answer"));
  EXPECT_THAT(text, HasSubstr("ranks below the answer"));
}

TEST_F(WeighedWinnersTest, ArePassedOverForWhatIsRecommended) {
  store_times(1024, {100, 110, 150});
  const Weighing weighing =
      weigh_for(4096, model::CacheState::kCold, db::Match{db::MatchTier::kRecommended, {}, values_of(3)});
  EXPECT_FALSE(weighing.winners.at(0).chosen);
  EXPECT_EQ(weighing.winners.at(0).verdict, "passed over: another configuration is recommended");
  EXPECT_THAT(weighing_text(weighing, model::Objective()),
              HasSubstr("passed over: another configuration is recommended"));
}

TEST_F(WeighedWinnersTest, LoseTheEstimatedTimeWhereTheyWereDropped) {
  store_times(1024, {100, 110, 150});
  store_times(2048, {300, 200, 500});
  store(2048, testing::dropped(values_of(1), 600));  // 200 % more than A = 2.
  const WeighedWinner nearest = weigh_for(4096).winners.at(0);
  ASSERT_TRUE(nearest.loss.has_value());
  EXPECT_EQ(nearest.loss->count, 2U);
  EXPECT_THAT(nearest.loss->maximum, DoubleNear(2.0, 1e-9));
}

// A = 2 is recommended up to N = 1000, and A = 3 above.
class WeighedRecommendations : public WeighedWinnersTest {
 protected:
  WeighedRecommendations() {
    for (const auto& [when, a] : {std::pair("N <= 1000", 2), std::pair("true", 3)})
      definition_.recommendations.push_back(
          {model::Expression::parse(when), values_of(a), base::SourcePosition()});
  }
  Weighing weigh_recommended(std::int64_t n) {
    return weigh_for(n, model::CacheState::kCold,
                     db::Match{db::MatchTier::kRecommended, {}, instance_for(n).recommended_configuration()});
  }
};

TEST_F(WeighedRecommendations, LoseWhatTheyLostWhereTheyWereMeasured) {
  store_times(512, {100, 110, 400});   // A = 2 is recommended here.
  store_times(2048, {300, 200, 250});  // A = 3 is.
  const Weighing weighing = weigh_recommended(16);
  ASSERT_TRUE(weighing.recommended_loss);
  EXPECT_EQ(weighing.recommended_loss->loss.count, 2U);
  EXPECT_NEAR(weighing.recommended_loss->loss.median, 0.175, 1e-9);
  EXPECT_NEAR(weighing.recommended_loss->loss.maximum, 0.25, 1e-9);
  const std::string text = weighing_text(weighing, model::Objective());
  EXPECT_THAT(text,
              HasSubstr("expected loss of the recommendation: 18 %, up to 25 % (2 timed problems). That "
                        "is what the definition's recommendations lost there.\n"));
  EXPECT_THAT(text, HasSubstr("passed over: another configuration is recommended"));
  EXPECT_THAT(text, HasSubstr("has the recommended configuration")) << "the winner at 2048 is A = 2";
}

TEST_F(WeighedRecommendations, LoseTheEstimatedTimeWhereTheyWereDropped) {
  store_times(2048, {300, 200, 500});
  store(2048, testing::dropped(values_of(3), 600));
  const Weighing weighing = weigh_recommended(16);
  ASSERT_TRUE(weighing.recommended_loss);
  EXPECT_NEAR(weighing.recommended_loss->loss.maximum, 2.0, 1e-9);
}

TEST_F(WeighedRecommendations, AreNotComparedByTheTimesOfAnotherSource) {
  store(2048, testing::measured(values_of(1), 300));
  store(2048, testing::measured(values_of(2), 200));
  model::Measurement imported = testing::measured(values_of(3), 900);
  imported.source = model::RowSource::kImported;
  store(2048, imported);
  EXPECT_FALSE(weigh_recommended(16).recommended_loss);
  store(2048, testing::measured(values_of(3), 250));
  EXPECT_TRUE(weigh_recommended(16).recommended_loss);
}

TEST_F(WeighedRecommendations, OfSisterGpusCountOnlyWithoutRowsOfTheAskedOneAndTheTextSaysSo) {
  gpu_.name = "NVIDIA Sister";
  gpu_.sm_count = 7;
  store_times(512, {100, 110, 400});
  gpu_ = model::fictional_gpu();
  const Weighing sister = weigh_recommended(16);
  ASSERT_TRUE(sister.recommended_loss);
  EXPECT_TRUE(sister.recommended_loss->is_of_other_gpus);
  EXPECT_THAT(weighing_text(sister, model::Objective()),
              HasSubstr("10 %, up to 10 % (1 timed problem). That is what the definition's recommendations "
                        "lost there, on other GPUs: nothing is known of this one.\n"));
  store_times(640, {100, 300, 400});
  const Weighing both = weigh_recommended(16);
  EXPECT_FALSE(both.recommended_loss->is_of_other_gpus);
  EXPECT_NEAR(both.recommended_loss->loss.maximum, 2.0, 1e-9);
}

TEST_F(WeighedRecommendations, AreNotKnownWhereOnlyOthersWereMeasuredOrImported) {
  EXPECT_FALSE(weigh_recommended(16).recommended_loss) << "a database without rows";
  store_times(512, {100, 110, 400}, model::RowSource::kImported);
  EXPECT_FALSE(weigh_recommended(16).recommended_loss);
  EXPECT_THAT(weighing_text(weigh_recommended(16), model::Objective()),
              HasSubstr("expected loss of the recommendation: unknown, because nothing that the definition "
                        "recommends was timed at a stored problem"));
}

TEST_F(WeighedWinnersTest, AnExactMatchLosesNothingAndOneSizeSaysNothingOfLosses) {
  store_times(4096, {100, 110, 150});
  const Weighing exact = weigh_for(4096);
  EXPECT_FALSE(exact.winners.at(0).loss.has_value());
  EXPECT_THAT(weighing_text(exact, model::Objective()), HasSubstr("none: measured here"));
  const Weighing near = weigh_for(8192);
  EXPECT_FALSE(near.winners.at(0).loss.has_value());
  EXPECT_THAT(weighing_text(near, model::Objective()), HasSubstr("unknown"));
}

TEST_F(WeighedWinnersTest, ImportedWinnersSayNothingOfLosses) {
  store_times(1024, {100, 110, 150}, model::RowSource::kImported);
  store_times(2048, {300, 200, 500});
  const Weighing weighing = weigh_for(4096);
  ASSERT_EQ(weighing.winners.size(), 2U);
  EXPECT_FALSE(weighing.winners[0].loss.has_value());
  EXPECT_EQ(weighing.winners[1].winner.best.source, model::RowSource::kImported);
}

TEST_F(WeighedWinnersTest, OfAnotherCacheStateAreCountedAndNotListed) {
  store_times(1024, {100, 110, 150});
  const Weighing weighing = weigh_for(1024, model::CacheState::kWarm);
  EXPECT_TRUE(weighing.winners.empty());
  ASSERT_EQ(weighing.excluded.size(), 1U);
  EXPECT_EQ(weighing.excluded[0].count, 1U);
  const std::string text = weighing_text(weighing, model::Objective());
  EXPECT_THAT(text, HasSubstr("cannot answer: 1 timed from another state of the L2 cache"));
  EXPECT_THAT(text, Not(HasSubstr("expected loss: ")));
}

TEST_F(WeighedWinnersTest, BeyondSixteenAreOnlyCounted) {
  for (std::int64_t n = 1; n <= 20; ++n) store_times(1000 + n, {100, 110, 150});
  const Weighing weighing = weigh_for(1000);
  EXPECT_EQ(weighing.winners.size(), 16U);
  EXPECT_EQ(weighing.left_out, 4U);
  EXPECT_THAT(weighing_text(weighing, model::Objective()), HasSubstr("4 more rank below these"));
}

}  // namespace
}  // namespace warptune::tuner::querying
