#include "fleet/campaign_results.h"

#include <gtest/gtest.h>

#include "tests/fleet/campaign_data.h"
#include "tests/temporary_folder.h"

namespace warptune::fleet {
namespace {

using testing::ended;
using testing::facts_of;
using testing::gpu_named;
using testing::kMinute;
using testing::kNow;

model::Measurement measured(std::int64_t block, double time_ns) {
  model::Measurement row;
  row.status = model::Status::kMeasured;
  row.configuration = {{"BLOCK", block}};
  row.time = {time_ns, time_ns, time_ns};
  row.samples_ns = {time_ns};
  return row;
}

class CampaignResultsTest : public ::testing::Test {
 protected:
  void store(const model::NamedValues& problem, const std::string& gpu, double default_ns, double best_ns) {
    db::Session session;
    session.workload = {"transpose", facts_.campaign.classes[0].kernel_hash, problem, gpu_named(gpu)};
    session.workload.gpu.sm_count = static_cast<int>(gpu.size());  // The name is not part of a GPU's key.
    session.default_configuration = {{"BLOCK", 32}};
    const std::int64_t id = store_.begin_session(session);
    store_.add_measurement(id, measured(32, default_ns));
    store_.add_measurement(id, measured(64, best_ns));
  }

  std::vector<TaskResult> results() const {
    return campaign_results(facts_.campaign, facts_.tasks, campaign_winners(store_, facts_.campaign));
  }

  tests::TemporaryFolder folder_;
  db::Store store_{folder_ / "snapshot.db"};
  CampaignFacts facts_ = facts_of(testing::two_classes());
};

TEST_F(CampaignResultsTest, EachTaskHasTheWinnerOfItsSizes) {
  facts_.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - kMinute, kNow)}};
  store({{"M", 64}, {"N", 8}}, "NVIDIA H100", 150.0, 100.0);
  store({{"M", 128}, {"N", 8}}, "NVIDIA H100", 400.0, 320.0);
  const std::vector<TaskResult> found = results();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].state, TaskState::kDone);
  EXPECT_EQ(found[0].winner.value().best.time->median_ns, 100.0);
  EXPECT_DOUBLE_EQ(found[0].default_loss.value(), 0.5);
  EXPECT_EQ(found[1].winner.value().best.time->median_ns, 320.0) << "rows of a task that has not ended";
  EXPECT_DOUBLE_EQ(found[1].default_loss.value(), 0.25);
  EXPECT_FALSE(found[2].winner) << "another kernel";
}

TEST_F(CampaignResultsTest, AnEndedTaskTakesTheGpuOnWhichItEnded) {
  store({{"M", 64}}, "NVIDIA H100", 150.0, 100.0);
  store({{"M", 64}}, "NVIDIA H100 PCIe", 90.0, 80.0);
  EXPECT_EQ(results()[0].winner.value().best.time->median_ns, 80.0);
  facts_.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - kMinute, kNow)}};
  EXPECT_EQ(results()[0].winner.value().best.time->median_ns, 100.0);
}

TEST_F(CampaignResultsTest, GpusThatThePredicateExcludesDoNotCount) {
  store({{"M", 64}}, "NVIDIA A100", 150.0, 100.0);
  EXPECT_FALSE(results()[0].winner);
}

TEST_F(CampaignResultsTest, AWinnerBelongsToTheTaskThatNamesTheMostSizes) {
  facts_.campaign.tasks[1].sizes = {{"M", 64}, {"N", 16}};
  store({{"M", 64}, {"N", 16}}, "NVIDIA H100", 30.0, 20.0);
  EXPECT_FALSE(results()[0].winner) << "N has its default there";
  EXPECT_EQ(results()[1].winner.value().best.time->median_ns, 20.0);
  store({{"M", 64}, {"N", 8}}, "NVIDIA H100", 150.0, 100.0);
  EXPECT_EQ(results()[0].winner.value().best.time->median_ns, 100.0);
}

TEST_F(CampaignResultsTest, AnotherCacheStateDoesNotCount) {
  store({{"M", 64}}, "NVIDIA H100", 150.0, 100.0);
  facts_.campaign.classes[0].options.cache = "warm";
  EXPECT_FALSE(results()[0].winner);
}

TEST_F(CampaignResultsTest, TheObjectiveRanks) {
  facts_.campaign.classes[0].options.objective = "-time";
  store({{"M", 64}}, "NVIDIA H100", 150.0, 100.0);
  EXPECT_EQ(results()[0].winner.value().best.time->median_ns, 150.0);
}

}  // namespace
}  // namespace warptune::fleet
