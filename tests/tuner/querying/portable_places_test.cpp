#include "tuner/querying/portable_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "tests/tuner/stored_winners.h"

namespace warptune::tuner::querying {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Function>
std::string refusal(const Function& function) {
  try {
    function();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string refused(const std::string& over, const std::vector<std::string>& gpus) {
  return refusal([&] { PortableRequest::parse(over, gpus); });
}

TEST(PortableRequestTest, AsksForTheWorstLossOnAllGpusUnlessTheyAreNamed) {
  EXPECT_EQ(PortableRequest::parse("", {}).over, LossOver::kWorst);
  EXPECT_EQ(PortableRequest::parse("worst", {}).over, LossOver::kWorst);
  EXPECT_EQ(PortableRequest::parse("mean", {}).over, LossOver::kMean);
  EXPECT_THAT(PortableRequest::parse("", {"all"}).gpus, IsEmpty());
  EXPECT_THAT(PortableRequest::parse("", {"H200", "A100"}).gpus, ElementsAre("H200", "A100"));
}

TEST(PortableRequestTest, RefusesOtherWordsAndASingleGpu) {
  EXPECT_EQ(refused("best", {}), "--portable=best: expected worst or mean");
  EXPECT_THAT(refused("", {"H200"}), HasSubstr("only one --gpu, H200: give --gpu for each of two GPUs"));
  EXPECT_THAT(refused("", {"H200", "all"}), HasSubstr("--gpu all already has every GPU"));
}

TEST(PortableGpusTest, AreThoseOfWinnersWithTheCacheStateOrThoseNamed) {
  const model::GpuDescription big = testing::named_gpu("NVIDIA Big", 132);
  const model::GpuDescription small = testing::named_gpu("NVIDIA Small", 40);
  const model::GpuDescription other = testing::named_gpu("NVIDIA Other", 20);
  const std::vector<model::GpuDescription> known = {big, other, small};
  std::vector<db::Winner> winners(3);
  winners[0].workload.gpu = small;
  winners[1].workload.gpu = big;
  winners[2].workload.gpu = other;
  winners[2].workload.cache = model::CacheState::kWarm;
  EXPECT_THAT(portable_gpus({}, known, winners, model::CacheState::kCold), ElementsAre(big, small));
  PortableRequest named;
  named.gpus = {"small", "other"};
  EXPECT_THAT(portable_gpus(named, known, winners, model::CacheState::kCold), ElementsAre(small, other));
  named.gpus = {"small", "NVIDIA Small"};
  EXPECT_EQ(refusal([&] { portable_gpus(named, known, winners, model::CacheState::kCold); }),
            "--gpu small and --gpu NVIDIA Small mean the same GPU, NVIDIA Small: name each only once");
  named.gpus = {"small", "H200"};
  EXPECT_THAT(refusal([&] { portable_gpus(named, known, winners, model::CacheState::kCold); }),
              HasSubstr("--gpu H200: none of the database's GPUs match"));
}

}  // namespace
}  // namespace warptune::tuner::querying
