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
