#include "fleet/campaign_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fleet/campaign_data.h"

namespace warptune::fleet {
namespace {

using ::testing::ElementsAre;
using testing::ended;
using ::testing::EndsWith;
using testing::facts_of;
using testing::failed;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kMinute;
using testing::kNow;
using testing::lost;
using testing::node_named;
using ::testing::Pair;
using testing::running;

// The same campaign with as many tasks of one class as wanted, all on H100.
Campaign of_tasks(std::size_t count) {
  Campaign campaign = testing::two_classes();
  campaign.classes.resize(1);
  campaign.tasks.clear();
  for (std::size_t i = 0; i < count; ++i)
    campaign.tasks.push_back({0, {{"M", static_cast<std::int64_t>(i)}}});
  return campaign;
}

TEST(CampaignStatusTest, BeforeTheFirstTaskThereAreNoRatesAndNoEnd) {
  const CampaignStatus status = campaign_status(facts_of(testing::two_classes()));
  EXPECT_EQ(status.task_count(), 3U);
  EXPECT_EQ(status.tasks.at(TaskState::kOpen), 3U);
  EXPECT_EQ(status.tasks.size(), 6U) << "states without tasks are there, too";
  EXPECT_FALSE(status.rates);
  EXPECT_FALSE(status.end);
  EXPECT_FALSE(status.is_over());
  EXPECT_EQ(status.gpu_hours, 0.0);
}

TEST(CampaignStatusTest, RatesAreMeansOverTheWindow) {
  CampaignFacts facts = facts_of(of_tasks(4));
  facts.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - 50 * kMinute, kNow - 40 * kMinute)}};
  facts.tasks[1] = {1, TaskState::kDone, {ended(1, "anna", kNow - 40 * kMinute, kNow - 20 * kMinute)}};
  facts.tasks[2] = {2, TaskState::kLeased, {running(1, "anna", kNow - 20 * kMinute)}};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_TRUE(status.rates);
  EXPECT_EQ(status.rates->window_ms, 30 * kMinute);
  EXPECT_DOUBLE_EQ(status.rates->tasks_per_hour, 2.0);
  EXPECT_DOUBLE_EQ(status.rates->evaluations_per_hour, 100.0) << "half of the second task is in the window";
}

TEST(CampaignStatusTest, RatesOfAFinishedCampaignEndWithItsLastTask) {
  CampaignFacts facts = facts_of(of_tasks(1));
  facts.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - 600 * kMinute, kNow - 590 * kMinute)}};
  const CampaignStatus status = campaign_status(facts);
  EXPECT_TRUE(status.is_over());
  EXPECT_FALSE(status.end);
  ASSERT_TRUE(status.rates);
  EXPECT_DOUBLE_EQ(status.rates->tasks_per_hour, 6.0);
  EXPECT_DOUBLE_EQ(status.rates->evaluations_per_hour, 600.0);
}

TEST(CampaignStatusTest, TheEndFollowsFromFinishedTasksAndThoseThatRun) {
  CampaignFacts facts = facts_of(of_tasks(6));
  facts.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - 20 * kMinute, kNow - 10 * kMinute)}};
  facts.tasks[1] = {1, TaskState::kLeased, {running(1, "anna", kNow - 4 * kMinute)}};
  facts.tasks[2] = {2, TaskState::kLeased, {running(1, "anna", kNow - 8 * kMinute)}};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_TRUE(status.end);
  // 6 + 2 minutes of the running tasks and three times 10 minutes, on two GPUs.
  EXPECT_EQ(status.end->end_ms, kNow + 19 * kMinute);
  EXPECT_EQ(status.end->finished, 1U);
  EXPECT_EQ(status.end->remaining, 5U);
  EXPECT_EQ(status.end->running, 2U);
  EXPECT_DOUBLE_EQ(status.end->task_seconds, 600.0);
}

TEST(CampaignStatusTest, OneLongTaskIsWaitedFor) {
  Campaign campaign = testing::two_classes();
  campaign.classes[1].gpu.name.clear();
  campaign.tasks.push_back({1, {{"M", 128}}});
  CampaignFacts facts = facts_of(campaign);
  facts.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - 20 * kMinute, kNow - 19 * kMinute)}};
  facts.tasks[1] = {1, TaskState::kLeased, {running(1, "anna", kNow)}};
  facts.tasks[2] = {2, TaskState::kDone, {ended(1, "anna", kNow - 60 * kMinute, kNow - 20 * kMinute)}};
  facts.tasks[3] = {3, TaskState::kLeased, {running(1, "anna", kNow)}};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_TRUE(status.end);
  EXPECT_EQ(status.end->end_ms, kNow + 40 * kMinute) << "each class has its own time";
}

TEST(CampaignStatusTest, WithoutARunningTaskNoEndIsExpected) {
  CampaignFacts facts = facts_of(of_tasks(2));
  facts.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - 20 * kMinute, kNow - 19 * kMinute)}};
  EXPECT_FALSE(campaign_status(facts).end);
}

TEST(CampaignStatusTest, GpuHoursCountLostAndRunningAttempts) {
  CampaignFacts facts = facts_of(of_tasks(2));
  facts.tasks[0] = {0,
                    TaskState::kDone,
                    {lost(1, "anna", kNow - 120 * kMinute, kNow - 90 * kMinute),
                     ended(2, "anna", kNow - 90 * kMinute, kNow - 30 * kMinute)}};
  facts.tasks[1] = {1, TaskState::kLeased, {running(1, "anna", kNow - 15 * kMinute)}};
  const CampaignStatus status = campaign_status(facts);
  EXPECT_DOUBLE_EQ(status.gpu_hours, 0.5 + 1.0 + 0.25);
  EXPECT_DOUBLE_EQ(status.lost_gpu_hours, 0.5);
  EXPECT_EQ(status.nodes.at(0).lost, 1U);
  EXPECT_EQ(status.nodes.at(0).finished, 1U);
  EXPECT_EQ(status.nodes.at(0).running, 1U);
}

TEST(CampaignStatusTest, EvaluationsOfLostAttemptsCountWhenALaterOneTookThemOver) {
  CampaignFacts facts = facts_of(of_tasks(3));
  facts.tasks[0] = {
      0,
      TaskState::kLeased,
      {lost(1, "anna", kNow - 9 * kMinute, kNow - 8 * kMinute), running(2, "anna", kNow - kMinute)}};
  EXPECT_EQ(campaign_status(facts).evaluated, 0U) << "nobody has reported";
  Attempt last = ended(2, "anna", kNow - 5 * kMinute, kNow - 4 * kMinute, 60);
  last.outcome->continued = 40;
  facts.tasks[0] = {0, TaskState::kDone, {lost(1, "anna", kNow - 9 * kMinute, kNow - 8 * kMinute), last}};
  EXPECT_EQ(campaign_status(facts).evaluated, 100U);
  // The first attempt had 30 evaluations when the second one began, and reported late that it had 35.
  Attempt late = ended(1, "anna", kNow - 9 * kMinute, kNow - 6 * kMinute, 35);
  late.end = AttemptEnd::kSuperseded;
  last.outcome->continued = 30;
  facts.tasks[1] = {1, TaskState::kDone, {late, last}};
  EXPECT_EQ(campaign_status(facts).evaluated, 100U + 95U) << "none is counted twice";
}

TEST(CampaignStatusTest, FailuresAreCountedByReason) {
  CampaignFacts facts = facts_of(of_tasks(3));
  Attempt done = ended(1, "anna", kNow - 2 * kMinute, kNow - kMinute);
  done.outcome->failures = {{"too many registers", 7}};
  Attempt late = done;
  late.fence = 2;
  late.end = AttemptEnd::kSuperseded;
  facts.tasks[0] = {0, TaskState::kDone, {done, late}};
  facts.tasks[1] = {1, TaskState::kFailed, {failed(1, "anna", kNow - kMinute, kNow, "M is too large")}};
  facts.tasks[2] = {2, TaskState::kFailed, {failed(1, "anna", kNow - kMinute, kNow, "M is too large")}};
  const CampaignStatus status = campaign_status(facts);
  EXPECT_THAT(status.failed_evaluations, ElementsAre(Pair("too many registers", 14)));
  ASSERT_EQ(status.failed_tasks.size(), 1U);
  EXPECT_EQ(status.failed_tasks[0].reason, "M is too large");
  EXPECT_THAT(status.failed_tasks[0].tasks, ElementsAre(1, 2));
  EXPECT_EQ(status.evaluated, 200U);
}

TEST(CampaignStatusTest, QuarantinedTasksHaveTheirAttempts) {
  CampaignFacts facts = facts_of(of_tasks(1));
  facts.tasks[0] = {0,
                    TaskState::kQuarantined,
                    {lost(1, "anna", kNow - 9 * kMinute, kNow - 8 * kMinute),
                     lost(2, "bert", kNow - 8 * kMinute, kNow - 7 * kMinute, "the GPU is gone"),
                     lost(3, "anna", kNow - 7 * kMinute, kNow - 6 * kMinute)}};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_EQ(status.quarantined.size(), 1U);
  ASSERT_EQ(status.quarantined[0].attempts.size(), 3U);
  EXPECT_EQ(node_name(status.nodes, status.quarantined[0].attempts[0].node), "anna");
  EXPECT_EQ(node_name(status.nodes, status.quarantined[0].attempts[1].node), "id-bert") << "it is not known";
  EXPECT_TRUE(status.is_over());
}

TEST(CampaignStatusTest, SuspectNodesAndThoseThatAreAwayAreMarked) {
  CampaignFacts facts = facts_of(of_tasks(1));
  facts.nodes = {node_named("anna", "NVIDIA H100", kNow - kLeaseMs),
                 node_named("bert", "NVIDIA H100", kNow - kLeaseMs - 1)};
  facts.suspects = {{"id-bert", "its read roof is 20 % low"}};
  const CampaignStatus status = campaign_status(facts);
  EXPECT_TRUE(status.nodes.at(0).is_here);
  EXPECT_EQ(status.nodes.at(0).suspicion, "");
  EXPECT_FALSE(status.nodes.at(1).is_here);
  EXPECT_EQ(status.nodes.at(1).suspicion, "its read roof is 20 % low");
}

TEST(CampaignStatusTest, AClassThatNoNodeFitsSaysWhatIsMissing) {
  const CampaignStatus status = campaign_status(facts_of(testing::two_classes()));
  ASSERT_EQ(status.unfit.size(), 1U);
  EXPECT_EQ(status.unfit[0].class_index, 1U);
  EXPECT_EQ(missing_text(status.unfit[0], "sgemm"),
            "1 open task of sgemm waits: no node fits; needed is *H200*, compute capability 9.0 and above; "
            "the nodes have NVIDIA H100 (9.0, 131 GiB)");
}

TEST(CampaignStatusTest, NodesThatAreAwayTakeNothing) {
  CampaignFacts facts = facts_of(of_tasks(2));
  facts.nodes = {node_named("anna", "NVIDIA H100", kNow - 2 * kLeaseMs)};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_EQ(status.unfit.size(), 1U);
  EXPECT_EQ(missing_text(status.unfit[0], "transpose"),
            "2 open tasks of transpose wait: no node is here; needed is *H100*");
}

TEST(CampaignStatusTest, RefusalsAreSaidIfAllNodesThatFitRefuse) {
  CampaignFacts facts = facts_of(of_tasks(2));
  facts.nodes.push_back(node_named("bert", "NVIDIA H100"));
  const Refusal refusal{"nightly", 0, "transpose has another hash here"};
  facts.nodes[0].refusals = {refusal, {"nightly", 1, "another class"}};
  EXPECT_THAT(campaign_status(facts).unfit, IsEmpty()) << "bert takes it";
  facts.nodes[1].refusals = {{"weekly", 0, "another campaign"}};
  EXPECT_THAT(campaign_status(facts).unfit, IsEmpty());
  facts.nodes[1].refusals = {refusal};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_EQ(status.unfit.size(), 1U);
  EXPECT_THAT(missing_text(status.unfit[0], "transpose"),
              HasSubstr("the nodes with *H100* refuse; anna: transpose has another hash here; bert: "));
}

TEST(CampaignStatusTest, SingleTasksThatAllNodesRefuseAreMissing) {
  CampaignFacts facts = facts_of(testing::two_classes());
  facts.tasks[2].state = TaskState::kDone;
  facts.nodes[0].refusals = {{"nightly", 0, "there is no recording", {1}}};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_EQ(status.unfit.size(), 1U);
  EXPECT_EQ(status.unfit[0].tasks, std::set<std::uint64_t>{1});
  EXPECT_THAT(missing_text(status.unfit[0], "transpose"),
              HasSubstr("1 open task of transpose waits: the nodes with *H100* refuse; anna: there is no"));
  facts.nodes.push_back(node_named("bert", "NVIDIA H100"));
  facts.nodes[1].refusals = {{"nightly", 0, "there is no recording", {0}}};
  EXPECT_THAT(campaign_status(facts).unfit, IsEmpty()) << "bert takes task 1, and anna task 0";
}

TEST(CampaignStatusTest, ANodeThatHasEndedIsNotHere) {
  CampaignFacts facts = facts_of(testing::two_classes());
  facts.nodes[0].has_left = true;
  const CampaignStatus status = campaign_status(facts);
  EXPECT_FALSE(status.nodes.at(0).is_here);
  EXPECT_TRUE(status.nodes.at(0).has_left);
  EXPECT_THAT(missing_text(status.unfit.at(0), "transpose"), EndsWith("no node is here; needed is *H100*"));
  facts.nodes[0].refusals = {{"nightly", 0, "there is no recording"}};
  EXPECT_THAT(missing_text(campaign_status(facts).unfit.at(0), "transpose"),
              EndsWith("needed is *H100*; anna, which is gone, refused: there is no recording"));
}

TEST(CampaignStatusTest, TasksThatNoNodeFitsAreNotPartOfTheEnd) {
  CampaignFacts facts = facts_of(testing::two_classes());
  facts.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - 20 * kMinute, kNow - 10 * kMinute)}};
  facts.tasks[1] = {1, TaskState::kLeased, {running(1, "anna", kNow - kMinute)}};
  const CampaignStatus status = campaign_status(facts);
  ASSERT_TRUE(status.end);
  EXPECT_EQ(status.end->remaining, 1U);
  EXPECT_EQ(status.end->end_ms, kNow + 9 * kMinute);
}

}  // namespace
}  // namespace warptune::fleet
