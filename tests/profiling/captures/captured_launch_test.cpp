#include "profiling/captures/captured_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warptune::profiling::captures {

namespace {

using ::testing::ElementsAre;

template <class Value>
std::string bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

TEST(CapturedLaunchTest, PointersAreTheWordsWithinAllocations) {
  CapturedLaunch launch;
  launch.buffers = {{0x10000, "", std::string(256, 'a'), {}},
                    {0x20000, "weights", std::string(256, 'b'), {}},
                    {0x30000, "", std::string(16, 'c'), {}}};
  launch.parameter_bytes =
      bytes_of<std::uint64_t>({0x10000, 0x100FF, 0x10100, 0x20000, 5, 0x30008}) + std::string(4, '\1');
  EXPECT_THAT(launch.pointers(), ElementsAre(PointerPlace{0, 0, 0}, PointerPlace{8, 0, 255},
                                             PointerPlace{16, 0, 256}, PointerPlace{40, 2, 8}))
      << "the end of an allocation may be the end of a range";
  EXPECT_EQ(launch.contents_bytes(), 528U);
}

TEST(CapturedLaunchTest, DifferencesAreTheBytesThatDifferFromThoseAfterTheLaunch) {
  CapturedLaunch launch;
  launch.buffers = {{0, "", bytes_of<float>({1, 2, 3, 4}), bytes_of<float>({1, 2, 4, 4})},
                    {0, "", bytes_of<float>({1, 2}), {}}};
  EXPECT_FALSE(difference_of(launch, 0, *launch.buffers[0].after));
  EXPECT_FALSE(difference_of(launch, 1, launch.buffers[1].before));
  const auto difference = difference_of(launch, 0, bytes_of<float>({1, 2, 5, 4}));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->buffer, 0U);
  EXPECT_EQ(difference->first, 10U);
  EXPECT_EQ(difference->different_bytes, 1U);
  EXPECT_EQ(difference->relative_as_f32, 0.2);
}

TEST(CapturedLaunchTest, NumbersThatAreNotFiniteHaveNoRelativeDifference) {
  CapturedLaunch launch;
  launch.buffers = {{0, "", bytes_of<float>({1, 2}), {}}};
  const auto difference =
      difference_of(launch, 0, bytes_of<float>({1, std::numeric_limits<float>::quiet_NaN()}));
  ASSERT_TRUE(difference);
  EXPECT_FALSE(difference->relative_as_f32);
}

}  // namespace

}  // namespace warptune::profiling::captures
