#include "fleet/suspicion.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace warptune::fleet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

NodeRecord node(const std::string& id, double copy, const char* roof = "copy") {
  NodeRecord record;
  record.node.id = id;
  NodeGpu gpu;
  gpu.gpu = model::fictional_gpu();
  gpu.roofs.push_back({roof, copy, 0.001, {}, 1, {}});
  record.node.gpus.push_back(gpu);
  return record;
}

TEST(SuspicionTest, ANodeWhoseRoofIsFarFromTheMedianIsSuspect) {
  EXPECT_THAT(
      suspect_nodes({node("a", 4.28e12), node("b", 4.27e12), node("c", 4.29e12), node("slow", 3.9e12)}),
      UnorderedElementsAre(Pair(
          "slow", AllOf(HasSubstr("copy roof"), HasSubstr("8.8 % below"), HasSubstr("the median of 4")))));
}

TEST(SuspicionTest, ATooFastRoofIsSuspectAsWell) {
  EXPECT_THAT(suspect_nodes({node("a", 4.28e12), node("b", 4.27e12), node("fast", 4.9e12)}),
              UnorderedElementsAre(Pair("fast", HasSubstr("above"))));
}

TEST(SuspicionTest, TheSpreadOfHealthyGpusIsNotSuspicious) {
  EXPECT_THAT(suspect_nodes({node("a", 4.2685e12), node("b", 4.28e12), node("c", 4.2921e12)}), IsEmpty());
  EXPECT_THAT(
      suspect_nodes({node("a", 4.5424e12, "read"), node("b", 4.6e12, "read"), node("c", 4.6449e12, "read")}),
      IsEmpty());
}

TEST(SuspicionTest, TwoNodesDoNotSayWhichOneIsUnusual) {
  EXPECT_THAT(suspect_nodes({node("a", 4.28e12), node("b", 3.0e12)}), IsEmpty());
  NodeRecord two_gpus = node("a", 4.28e12);
  two_gpus.node.gpus.push_back(two_gpus.node.gpus.front());
  EXPECT_THAT(suspect_nodes({two_gpus, node("b", 3.0e12)}), IsEmpty())
      << "these are two nodes with three GPUs";
}

TEST(SuspicionTest, ModelsAreNotCompared) {
  NodeRecord other = node("other", 1.0e12);
  other.node.gpus.front().gpu.sm_count = 20;
  EXPECT_THAT(suspect_nodes({node("a", 4.28e12), node("b", 4.27e12), other}), IsEmpty());
}

TEST(SuspicionTest, ANodeHasOneVoteHoweverManyGpusItHas) {
  NodeRecord large = node("large", 3.9e12);
  large.node.gpus.resize(8, large.node.gpus.front());
  std::vector<NodeRecord> nodes = {large};
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g"}) nodes.push_back(node(id, 4.28e12));
  EXPECT_THAT(suspect_nodes(nodes), UnorderedElementsAre(Pair("large", HasSubstr("the median of 8 nodes"))));
}

TEST(SuspicionTest, EachGpuOfANodeIsJudgedAlone) {
  NodeRecord large = node("large", 4.28e12);
  large.node.gpus.resize(8, large.node.gpus.front());
  for (int i = 0; i < 8; ++i) large.node.gpus[static_cast<std::size_t>(i)].ordinal = i;
  large.node.gpus[5].roofs[0].value = 3.9e12;
  EXPECT_THAT(suspect_nodes({large, node("a", 4.28e12), node("b", 4.27e12)}),
              UnorderedElementsAre(Pair("large", HasSubstr("the copy roof of its GPU 5 ("))));
}

TEST(SuspicionTest, NodesThatLeftLongAgoDoNotJudgeLaterOnes) {
  std::vector<NodeRecord> nodes;
  for (const char* id : {"a", "b", "c", "d"}) nodes.push_back(node(id, 4.0e12));
  const std::size_t old = nodes.size();
  for (const char* id : {"e", "f", "g"}) nodes.push_back(node(id, 4.28e12));
  for (std::size_t i = old; i < nodes.size(); ++i) nodes[i].seen_ms = kComparedMs;
  EXPECT_EQ(suspect_nodes(nodes).size(), 3U) << "all of them were seen within the time";
  for (std::size_t i = old; i < nodes.size(); ++i) nodes[i].seen_ms = kComparedMs + 1;
  EXPECT_THAT(suspect_nodes(nodes), IsEmpty());
}

TEST(SuspicionTest, AVerdictStaysWhenTheWholeFleetHasEnded) {
  std::vector<NodeRecord> nodes = {node("a", 4.28e12), node("b", 4.27e12), node("c", 4.29e12),
                                   node("slow", 3.9e12)};
  nodes.push_back(node("later", 4.28e12));
  nodes.back().seen_ms = 12 * kComparedMs;
  EXPECT_THAT(suspect_nodes(nodes), UnorderedElementsAre(Pair("slow", HasSubstr("below"))));
  EXPECT_THAT(unjudged_nodes(nodes), UnorderedElementsAre(Pair("later", HasSubstr("1 node has measured"))));
}

TEST(SuspicionTest, ANodeWithoutRoofsIsNotJudged) {
  NodeRecord unknown = node("unknown", 4.28e12);
  unknown.node.gpus.push_back(unknown.node.gpus.front());
  unknown.node.gpus[1].ordinal = 1;
  unknown.node.gpus[1].roofs.clear();
  std::vector<NodeRecord> nodes = {node("a", 4.28e12), node("b", 4.27e12), unknown};
  EXPECT_THAT(suspect_nodes(nodes), IsEmpty());
  EXPECT_THAT(unjudged_nodes(nodes),
              UnorderedElementsAre(Pair("unknown", HasSubstr("the roofs of its GPU 1 ("))));
  nodes[2].accepted = true;
  EXPECT_THAT(unjudged_nodes(nodes), IsEmpty());
}

TEST(SuspicionTest, TooFewNodesJudgeNobody) {
  EXPECT_THAT(unjudged_nodes({node("a", 4.28e12), node("b", 3.0e12)}),
              UnorderedElementsAre(Pair("a", HasSubstr("2 nodes have measured the model")),
                                   Pair("b", HasSubstr("3 are needed"))));
}

TEST(SuspicionTest, AnAcceptedNodeIsNotSuspect) {
  NodeRecord slow = node("slow", 3.9e12);
  slow.accepted = true;
  EXPECT_THAT(suspect_nodes({node("a", 4.28e12), node("b", 4.27e12), slow}), IsEmpty());
}

TEST(SuspicionTest, UnknownRoofsAndImpossibleNumbersAreIgnored) {
  EXPECT_THAT(suspect_nodes({node("a", 4.28e12), node("b", 4.27e12), node("c", 4.28e12), node("d", 0.0),
                             node("e", 1.0, "new roof")}),
              IsEmpty());
}

}  // namespace
}  // namespace warptune::fleet
