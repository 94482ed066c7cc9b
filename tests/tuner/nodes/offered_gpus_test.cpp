#include "tuner/nodes/offered_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "db/recording_file.h"
#include "tests/tuner/session_data.h"

namespace warptune::tuner::nodes {
namespace {

using ::testing::SizeIs;

TEST(RecordedOfferTest, OffersEachGpuOnceAndFindsRecordingsByTheirWorkload) {
  const testing::TemporaryFolder folder;
  model::Recording recording = testing::toy_recording(testing::write_toy_kernel(folder));
  db::write_recording(folder / "toy-a.wtrec.zst", recording);
  recording.workload.problem = {{"N", std::int64_t{64}}};
  db::write_recording(folder / "toy-b.wtrec.zst", recording);
  model::GpuDescription other = model::fictional_gpu();
  other.name = "Other";
  other.sm_count = 7;
  recording.workload.gpu = other;
  db::write_recording(folder / "toy-c.wtrec.zst", recording);
  const RecordedOffer offer(std::filesystem::path(folder / "toy-a.wtrec.zst").parent_path());
  const std::vector<OfferedGpu> all = offer.gpus({true, {}});
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1].gpu.name, "Other");
  EXPECT_EQ(all[1].ordinal, 1);
  EXPECT_THAT(offer.gpus({false, {1}}), SizeIs(1));
  EXPECT_THROW(offer.gpus({false, {2}}), base::MachineError);
  const auto cold = model::CacheState::kCold;
  const model::NamedValues n64 = {{"N", std::int64_t{64}}};
  ASSERT_NE(offer.find("toy", n64, other, cold), nullptr);
  EXPECT_EQ(offer.find("toy", n64, other, cold)->file.filename(), "toy-c.wtrec.zst");
  EXPECT_EQ(offer.find("toy", n64, model::fictional_gpu(), cold)->file.filename(), "toy-b.wtrec.zst");
  EXPECT_EQ(offer.find("toy", n64, other, model::CacheState::kWarm), nullptr);
  EXPECT_EQ(offer.find("other", n64, other, cold), nullptr);
  EXPECT_EQ(offer.find("toy", {{"N", std::int64_t{65}}}, other, cold), nullptr);
}

// The fake worker lists one GPU.
TEST(LocalOfferTest, EachGpuHasTheRoofsThatWereKeptForIt) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  const testing::TemporaryFolder folder;
  const std::filesystem::path kept = folder / "roofs.json";
  EXPECT_TRUE(local_offer({true, {}}, kept).at(0).roofs.empty());
  const auto with_roof = [](int ordinal, double value) {
    return OfferedGpu{model::fictional_gpu(), ordinal, {{"copy", value, 0.001, {}, 1, {}}}};
  };
  keep_roofs(kept, {with_roof(0, 4.0e12), with_roof(1, 3.0e12)});
  const std::vector<OfferedGpu> offered = local_offer({true, {}}, kept);
  ASSERT_THAT(offered.at(0).roofs, SizeIs(1));
  EXPECT_EQ(offered[0].roofs[0].value, 4.0e12);
  OfferedGpu other = with_roof(0, 1.0e12);
  other.gpu.sm_count = 7;
  keep_roofs(kept, {other});
  EXPECT_TRUE(local_offer({true, {}}, kept).at(0).roofs.empty()) << "another GPU was in this place";
  std::ofstream(kept) << "{";
  EXPECT_TRUE(local_offer({true, {}}, kept).at(0).roofs.empty());
}

TEST(LocalOfferTest, RoofsAreMeasuredByAWorker) {
  const testing::ScopedVariable worker("WARPTUNE_WORKER", WARPTUNE_FAKE_GPU_WORKER);
  EXPECT_THAT(measure_roofs_of({model::fictional_gpu(), 0, {}}, {}), SizeIs(4));
  const testing::ScopedVariable dies("FAKE_ROOFS_DIE", "1");
  EXPECT_THROW(measure_roofs_of({model::fictional_gpu(), 0, {}}, {}), base::MachineError);
}

}  // namespace
}  // namespace warptune::tuner::nodes
