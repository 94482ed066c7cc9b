#include "tuner/covers/stored_cover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::covers {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// A definition of which only the default matters.
kernel_templates::KernelDefinition defaulting_to(const model::NamedValues& usual) {
  kernel_templates::KernelDefinition definition;
  definition.default_configuration = usual;
  return definition;
}

class StoredCoverTest : public ::testing::Test {
 protected:
  model::Workload workload(std::int64_t n, const std::string& type = "f32") const {
    return {"toy", "hash", {{"N", n}, {"T", type}}, model::fictional_gpu(), model::CacheState::kCold};
  }
  // A session at a size with the times of X = 1, 2, ...
  void store(std::int64_t n, const std::vector<double>& times_ns, const std::string& note,
             const std::string& type = "f32", const std::vector<double>& digests = {}, double inputs = 1.0) {
    db::Session session;
    session.workload = workload(n, type);
    session.strategy = "auto";
    session.budget = "24, " + note;
    const std::int64_t id = store_.begin_session(session);
    for (std::size_t i = 0; i < times_ns.size(); ++i) {
      model::Measurement row = testing::measured(testing::at(static_cast<std::int64_t>(i) + 1), times_ns[i]);
      if (i < digests.size())
        row.counters = {{"compared_launches", 14.0},
                        {"differing_launches", 0.0},
                        {"input_digest", inputs},
                        {"output_digest", digests[i]}};
      store_.add_measurement(id, row);
    }
  }
  std::int64_t answer(std::int64_t n, const std::string& type = "f32") const {
    const std::optional<CoverAnswer> found = covered_answer(store_, workload(n, type), {});
    return found && !found->configuration.empty() ? testing::x_of(found->configuration) : 0;
  }

  testing::TemporaryFolder folder_;
  db::Store store_{folder_ / "warptune.db"};
  const std::string note_ = "cover 5%: N=64..1024 log2";
  const std::string held_back_ = "cover 5% held back: N=64..1024 log2";
};

TEST_F(StoredCoverTest, SizesOfTheRangeAreAnsweredByTheList) {
  store(64, {10, 20}, note_);
  store(128, {10, 20}, note_);
  store(512, {20, 10}, note_);
  store(1024, {20, 10}, note_);
  store(700, {20, 10}, held_back_);
  EXPECT_EQ(answer(100), 1);
  EXPECT_EQ(answer(900), 2);
  const std::optional<CoverAnswer> found = covered_answer(store_, workload(900), {});
  EXPECT_THAT(found->reason,
              HasSubstr("answered by the cover of N=64..1024 log2 within 5 % (2 configurations): line "));
  EXPECT_EQ(found->problem, workload(1024).problem) << "the nearest size that has a row of the answer";
  EXPECT_DOUBLE_EQ(found->row.time->median_ns, 10.0);
}

TEST_F(StoredCoverTest, OutsideOfTheRangeNoConfigurationAnswersAndTheReasonSaysSo) {
  store(64, {10, 20}, note_);
  const std::optional<CoverAnswer> found = covered_answer(store_, workload(2000), {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->configuration.empty());
  EXPECT_EQ(found->reason,
            "outside of N=64..1024 log2, for which a cover is known: the nearest winner answers");
}

TEST_F(StoredCoverTest, SizesThatAreHeldBackTakeNoPart) {
  store(64, {10, 20}, note_);
  store(80, {10, 20}, held_back_);
  store(1024, {20, 10}, held_back_);
  EXPECT_EQ(answer(900), 1);
  store(1024, {}, note_);
  EXPECT_EQ(answer(900), 2) << "another session takes the size in";
}

TEST_F(StoredCoverTest, ACoverThatMostHeldBackSizesContradictDoesNotAnswer) {
  store(64, {10, 20}, note_);
  EXPECT_EQ(answer(900), 0) << "no size is held back";
  store(1024, {20, 10}, held_back_);
  EXPECT_EQ(answer(900), 0);
  EXPECT_EQ(
      covered_answer(store_, workload(900), {})->reason,
      "the cover of N=64..1024 log2 does not answer, because only 0 of its 1 held-back size is within 5 %: "
      "the nearest winner answers");
  store(512, {10, 20}, held_back_);
  EXPECT_EQ(answer(900), 1) << "half of them agree";
}

// X = 1 is the default.
TEST_F(StoredCoverTest, ACoverWithADemandHasOnlyConfigurationsThatMeetItAtAllSizes) {
  const std::string bits = "cover 5% reproducible=bits: N=64..1024 log2";
  store(64, {30, 20, 10}, bits, "f32", {7, 7, 7});
  store(1024, {30, 20, 10}, bits, "f32", {5, 5, 8});
  store(512, {30, 20, 10}, "cover 5% held back reproducible=bits: N=64..1024 log2", "f32", {6, 6});
  const std::vector<StoredCover> found = stored_covers(store_, workload(100), defaulting_to(testing::at(1)));
  ASSERT_THAT(found, SizeIs(1));
  const CoverTable& table = found[0].table;
  EXPECT_TRUE(table.is_excluded(2)) << "it has the bits of the default at 64, not at 1024";
  EXPECT_EQ(table.sizes[1].outputs[2], OutputsKnown::kUnknown) << "at 512, it was not compared";
  const std::optional<SizeCover> cover = derive_cover(found[0]);
  ASSERT_TRUE(cover);
  EXPECT_EQ(testing::x_of(table.configurations[cover->answer({100})]), 2);
  EXPECT_DOUBLE_EQ(cover->worst_loss, 0.0);
  EXPECT_DOUBLE_EQ(cover->worst_loss_against_all, 1.0);
  EXPECT_EQ(cover->beyond_limit, 2U);
  const std::optional<CoverAnswer> answered =
      covered_answer(store_, workload(100), defaulting_to(testing::at(1)));
  EXPECT_EQ(testing::x_of(answered->configuration), 2);
  EXPECT_THAT(answered->reason, HasSubstr("within 5 % (1 configuration, reproducible=bits): line 1"));
}

TEST_F(StoredCoverTest, WhatIsKnownOfOutputsIsKeptWhenLaterRowsWereNotCompared) {
  const std::string bits = "cover 5% reproducible=bits: N=64..1024 log2";
  const auto outputs = [&](std::int64_t x) {
    for (const CoverRow& row :
         judged_rows(store_, workload(64), testing::at(1), model::outputs::Reproducibility::parse("bits"))) {
      if (testing::x_of(row.measurement.configuration) == x) return row.outputs;
    }
    return OutputsKnown::kUnknown;
  };
  store(64, {30, 20, 10}, bits, "f32", {7, 7, 8});
  store(64, {30}, "");
  EXPECT_EQ(outputs(2), OutputsKnown::kMet) << "the row of the default that was compared counts";
  store(64, {30}, "", "f32", {5}, 2.0);
  EXPECT_EQ(outputs(2), OutputsKnown::kMet)
      << "the default of the same inputs counts, not that of another seed";
  store(64, {30, 20, 10}, "");
  EXPECT_EQ(outputs(2), OutputsKnown::kUnknown) << "the new row was not compared";
  EXPECT_EQ(outputs(3), OutputsKnown::kUnmet) << "other bits are not forgotten";
  store(64, {30, 20, 10}, "", "f32", {7, 7, 7});
  EXPECT_EQ(outputs(3), OutputsKnown::kMet) << "a later comparison replaces an earlier one";
}

TEST_F(StoredCoverTest, CoversWithAndWithoutADemandAreTwo) {
  store(64, {10, 20}, note_, "f32", {7, 7});
  store(64, {10, 20}, "cover 5% reproducible=runs: N=64..1024 log2", "f32", {7, 7});
  EXPECT_THAT(stored_covers(store_, workload(100), {}), SizeIs(2));
}

TEST_F(StoredCoverTest, OtherTypesKernelsAndCacheStatesHaveTheirOwnCovers) {
  store(64, {10, 20}, note_);
  store(64, {20, 10}, note_, "f16");
  store(80, {10, 20}, held_back_);
  store(80, {20, 10}, held_back_, "f16");
  EXPECT_EQ(answer(100), 1);
  EXPECT_EQ(answer(100, "f16"), 2);
  EXPECT_EQ(answer(100, "f64"), 0);
  model::Workload other = workload(100);
  other.kernel_hash = "another";
  EXPECT_FALSE(covered_answer(store_, other, {}));
  other = workload(100);
  other.cache = model::CacheState::kWarm;
  EXPECT_FALSE(covered_answer(store_, other, {}));
}

TEST_F(StoredCoverTest, TheNewestCoverAnswersAndLaterRowsCount) {
  store(64, {10, 20}, note_);
  store(64, {20, 10}, "cover 10%: N=1..2000");
  store(80, {20, 10}, "cover 10% held back: N=1..2000");
  EXPECT_EQ(answer(100), 2) << "both covers see the newest rows";
  EXPECT_THAT(covered_answer(store_, workload(100), {})->reason, HasSubstr("N=1..2000 within 10 %"));
  store(64, {10, 20}, "");
  store(80, {10, 20}, "");
  EXPECT_EQ(answer(100), 1);
  const std::vector<StoredCover> covers = stored_covers(store_, workload(100), {});
  ASSERT_THAT(covers, SizeIs(2));
  EXPECT_EQ(covers[0].range.text(), "N=1..2000");
  EXPECT_EQ(covers[0].evaluations, 2U);
  EXPECT_EQ(covers[1].check_evaluations, 0U);
}

}  // namespace
}  // namespace warptune::tuner::covers
