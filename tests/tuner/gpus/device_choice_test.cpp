#include "tuner/gpus/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::tuner::gpus {
namespace {

using ::testing::ElementsAre;

std::vector<int> chosen(const std::string& text, std::size_t count) {
  return DeviceChoice::parse(text).resolve(count);
}

TEST(DeviceChoiceTest, IsANumberAListOrAll) {
  EXPECT_THAT(DeviceChoice().resolve(4), ElementsAre(0));
  EXPECT_THAT(chosen("1", 4), ElementsAre(1));
  EXPECT_THAT(chosen("2, 0", 4), ElementsAre(2, 0));
  EXPECT_THAT(chosen("all", 3), ElementsAre(0, 1, 2));
  for (const char* wrong : {"", "1,", "x", "-1", "1,1", "all,0", "0.5", "99999999999999"})
    EXPECT_THROW(DeviceChoice::parse(wrong), base::InputError) << wrong;
  EXPECT_THROW(chosen("0,4", 4), base::MachineError);
}

TEST(DeviceChoiceTest, GpusOfOneModelShareASessionWhateverTheirName) {
  model::GpuDescription h200 = model::fictional_gpu();
  model::GpuDescription renamed = h200;
  renamed.name = "the same by another name";
  model::GpuDescription smaller = h200;
  smaller.sm_count = 60;
  EXPECT_THAT(devices_by_model({h200, smaller, renamed, smaller}, {0, 1, 2, 3}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(devices_by_model({h200, smaller, renamed, smaller}, {3, 2}),
              ElementsAre(ElementsAre(3), ElementsAre(2)));
}

}  // namespace
}  // namespace warptune::tuner::gpus
