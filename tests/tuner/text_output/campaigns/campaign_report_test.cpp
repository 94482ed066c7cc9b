#include "tuner/text_output/campaigns/campaign_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fleet/campaign_data.h"

namespace warptune::tuner::text_output::campaigns {
namespace {

using fleet::TaskState;
using fleet::testing::ended;
using fleet::testing::facts_of;
using fleet::testing::failed;
using fleet::testing::kMinute;
using fleet::testing::kNow;
using fleet::testing::lost;
using fleet::testing::running;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const fleet::CampaignFacts& facts) {
  return campaign_status_text(fleet::campaign_status(facts), facts.campaign);
}

TEST(CampaignReportTest, TheStatusSaysHowFarItIsAndWhatIsMissing) {
  fleet::CampaignFacts facts = facts_of(fleet::testing::two_classes());
  facts.tasks[0] = {0, TaskState::kDone, {ended(1, "anna", kNow - 20 * kMinute, kNow - 10 * kMinute)}};
  facts.tasks[1] = {1, TaskState::kLeased, {running(1, "anna", kNow - kMinute)}};
  EXPECT_EQ(
      text_of(facts),
      "nightly: 1 of 3 tasks done, 1 running, 1 open\n"
      "expected end: in 9 min, at 2023-11-14 22:22:20 UTC (from 1 finished task of 10 min on average; 1 "
      "task left, 1 at a time)\n"
      "0.18 GPU hours spent, 0.00 of them in lost attempts\n"
      "100 evaluations in attempts that have ended; tasks an hour: 3, evaluations an hour: 300 (last 20 "
      "min)\n"
      "\n"
      "node  GPUs         version  state       running  ended  lost\n"
      "----  -----------  -------  ----------  -------  -----  ----\n"
      "anna  NVIDIA H100  1.0      runs tasks        1      1     0\n"
      "caution: 1 open task of sgemm waits: no node fits; needed is *H200*, compute capability 9.0 and "
      "above; the nodes have NVIDIA H100 (9.0, 131 GiB)\n");
}

TEST(CampaignReportTest, FailuresAndQuarantinedTasksAreShownWithTheirReasons) {
  fleet::CampaignFacts facts = facts_of(fleet::testing::two_classes());
  fleet::Attempt done = ended(1, "anna", kNow - 20 * kMinute, kNow - 10 * kMinute);
  done.outcome->failures = {{"too many registers", 7}};
  facts.tasks[0] = {0, TaskState::kFailed, {done, failed(2, "anna", kNow - kMinute, kNow, "M is too large")}};
  facts.tasks[1] = {1,
                    TaskState::kQuarantined,
                    {lost(1, "anna", kNow - 9 * kMinute, kNow - 8 * kMinute),
                     lost(2, "bert", kNow - 8 * kMinute, kNow - 7 * kMinute, "the GPU is gone")}};
  facts.tasks[2].state = TaskState::kCancelled;
  const std::string text = text_of(facts);
  EXPECT_THAT(text, HasSubstr("nightly: 0 of 3 tasks done, 1 failed, 1 quarantined, 1 cancelled\n"
                              "the campaign is over\n"));
  EXPECT_THAT(text, HasSubstr("1 task failed: transpose M=64: M is too large\n"));
  EXPECT_THAT(text, HasSubstr("quarantined: transpose M=128; warptune campaign retry opens it again\n"));
  EXPECT_THAT(text, HasSubstr("    2023-11-14 22:05:20 UTC lost on id-bert: the GPU is gone\n"));
  EXPECT_THAT(text, HasSubstr("                 7  too many registers\n"));
}

TEST(CampaignReportTest, SuspectNodesAreNamedWithWhatToDo) {
  fleet::CampaignFacts facts = facts_of(fleet::testing::two_classes());
  EXPECT_THAT(text_of(facts), Not(HasSubstr("suspect")));
  facts.suspects = {{"id-anna", "its read roof is 20 % low"}};
  EXPECT_THAT(text_of(facts),
              HasSubstr("caution: anna is suspect: its read roof is 20 % low; its rows are left "
                        "out until someone runs warptune campaign accept id-anna\n"));
}

TEST(CampaignReportTest, NodesWithUnknownRoofsAreNotJudged) {
  fleet::CampaignFacts facts = facts_of(fleet::testing::two_classes());
  facts.nodes = {fleet::testing::node_named("anna", "NVIDIA H100"),
                 fleet::testing::node_named("bert", "NVIDIA H100"),
                 fleet::testing::node_named("away", "NVIDIA H100", 0)};
  EXPECT_THAT(text_of(facts), Not(HasSubstr("not judged")));
  for (const char* id : {"id-anna", "id-bert", "id-away"})
    facts.unjudged[id] = "the roofs of its GPU 0 are not known";
  EXPECT_THAT(text_of(facts),
              HasSubstr("not judged by their roofs: anna, bert: the roofs of its GPU 0 are not known\n"));
}

TEST(CampaignReportTest, WithoutNodesItSaysHowToStartOne) {
  fleet::CampaignFacts facts = facts_of(fleet::testing::two_classes());
  facts.nodes.clear();
  const std::string text = text_of(facts);
  EXPECT_THAT(text, HasSubstr("no node has entered the store yet: start one with warptune node"));
  EXPECT_THAT(text, HasSubstr("expected end: unknown, because no task runs\n"));
}

TEST(CampaignReportTest, ANodeThatIsAwayIsShownWithTheTime) {
  fleet::CampaignFacts facts = facts_of(fleet::testing::two_classes());
  facts.nodes[0].seen_ms = kNow - 12 * kMinute;
  EXPECT_THAT(text_of(facts), HasSubstr("away for 12 min"));
}

TEST(CampaignReportTest, LongListsAreCut) {
  fleet::CampaignFacts facts = facts_of(fleet::testing::two_classes());
  facts.campaign.tasks.assign(30, {0, {{"M", 64}}});
  facts.tasks.clear();
  for (std::uint64_t task = 0; task < 30; ++task) facts.tasks.push_back({task, TaskState::kQuarantined, {}});
  for (int node = 0; node < 30; ++node)
    facts.nodes.push_back(fleet::testing::node_named("away" + std::to_string(node), "NVIDIA H100", 0));
  facts.suspects = {{"id-away3", "its read roof is 20 % low"}};
  const std::string text = text_of(facts);
  EXPECT_THAT(text, HasSubstr("and 10 more (--format json has all)"));
  EXPECT_THAT(text, HasSubstr("29 nodes are away"));
  EXPECT_THAT(text, HasSubstr("away3  ")) << "suspect nodes are shown";
}

TEST(CampaignReportTest, TheListHasALineForEachCampaign) {
  EXPECT_THAT(campaign_list_text({}), HasSubstr("the store has no campaign"));
  const std::string text =
      campaign_list_text({{"nightly", "d", kNow, false, {{TaskState::kDone, 2}, {TaskState::kOpen, 3}}}});
  EXPECT_THAT(text, HasSubstr("nightly       5     2  3 open  2023-11-14 22:13:20 UTC\n"));
}

TEST(CampaignReportTest, ResultsShowTheBestAndTheLossOfTheDefault) {
  const fleet::Campaign campaign = fleet::testing::two_classes();
  db::Winner winner;
  winner.workload.gpu = fleet::testing::gpu_named("NVIDIA H100");
  winner.best.status = model::Status::kMeasured;
  winner.best.time = model::TimeSummary{12300.0};
  winner.best.configuration = {{"BLOCK", 64}};
  const std::string text = campaign_results_text(
      campaign, {{0, TaskState::kDone, winner, 0.5}, {1, TaskState::kOpen, std::nullopt, std::nullopt}});
  EXPECT_THAT(text, HasSubstr("transpose M=64   done   NVIDIA H100  12.3 us             50.0 %  BLOCK=64"));
  EXPECT_THAT(text, HasSubstr("transpose M=128  open"));
}

}  // namespace
}  // namespace warptune::tuner::text_output::campaigns
