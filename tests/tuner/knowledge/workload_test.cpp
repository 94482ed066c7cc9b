#include "tuner/knowledge/workload.h"

#include <gtest/gtest.h>

namespace warptune::tuner::knowledge {
namespace {

TEST(TuneCommandTest, NamesTheSizesAndTheCache) {
  const model::NamedValues problem = {{"M", 77}, {"dtype", "f16"}};
  EXPECT_EQ(tune_command("sgemm", problem, model::CacheState::kWarm),
            "warptune tune sgemm --size M=77 --size dtype=f16 --cache warm");
}

TEST(TuneCommandTest, LeavesOutWhatTuneChoosesByItself) {
  EXPECT_EQ(tune_command("sgemm", {}, model::CacheState::kCold), "warptune tune sgemm");
  EXPECT_EQ(tune_command("sgemm", {}, model::CacheState::kUnknown), "warptune tune sgemm");
}

TEST(TuneCommandTest, IsForAShell) {
  EXPECT_EQ(tune_command("my kernel.toml", {{"kind", "it's"}}, model::CacheState::kCold),
            "warptune tune 'my kernel.toml' --size 'kind=it'\\''s'");
}

}  // namespace
}  // namespace warptune::tuner::knowledge
