#include "profiling/verification/new_input_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace warptune::profiling::verification {
namespace {

using ::testing::HasSubstr;

/// Asks for observations as a runner does, and returns the verdict.
template <typename Observe>
std::optional<std::string> verdict(bool on_host, const Observe& observe) {
  MemoryOfResults memory(on_host);
  do {
    memory.add(observe());
  } while (memory.is_undecided());
  return memory.fault();
}

TEST(MemoryOfResultsTest, AKernelThatRemembersIsRefusedWithItsTimes) {
  const auto fault = verdict(false, [] { return NewInputTimes{85000.0, {11000.0, 11000.0, 11100.0}}; });
  ASSERT_TRUE(fault.has_value());
  EXPECT_THAT(*fault, HasSubstr("takes 7.73 times as long on inputs that it has not seen"));
  EXPECT_THAT(*fault, HasSubstr("85.0 us instead of 11.0 us"));
}

TEST(MemoryOfResultsTest, OneFastLaunchOnNewInputsClearsAKernel) {
  int observations = 0;
  EXPECT_FALSE(verdict(false, [&] {
    return NewInputTimes{++observations < 4 ? 3e6 : 1.2e6, {1.1e6, 1.1e6, 1.1e6}};
  }));
  EXPECT_EQ(observations, 4);
}

TEST(MemoryOfResultsTest, SomeSlowedLaterLaunchesDoNotHideAMemory) {
  base::Random random(5);
  const auto later = [&] { return random.below(10) < 4 ? 85000.0 : 11000.0; };
  EXPECT_TRUE(verdict(false, [&] {
    return NewInputTimes{85000.0, {later(), later(), later(), later(), later()}};
  }));
}

// Seen on a GPU that three processes shared: an honest kernel was refused after three comparisons.
TEST(MemoryOfResultsTest, AnHonestKernelOnASharedGpuIsNotRefused) {
  base::Random random(7);
  const auto launch = [&] { return random.below(2) == 0 ? 2.9e6 : 1.14e6; };
  int refused = 0;
  for (int i = 0; i < 1000; ++i)
    refused += verdict(false,
                       [&] {
                         return NewInputTimes{launch(), {launch(), launch(), launch()}};
                       })
                   ? 1
                   : 0;
  EXPECT_LE(refused, 2);
}

TEST(MemoryOfResultsTest, TheHostsCachesAreNoMemory) {
  const NewInputTimes times{130000.0, {100000.0, 100000.0}};
  EXPECT_FALSE(verdict(true, [&] { return times; }));
  EXPECT_TRUE(verdict(false, [&] { return times; }));
}

TEST(MemoryOfResultsTest, NothingIsSaidOfTooFewTimes) {
  MemoryOfResults memory(false);
  memory.add({85000.0, {11000.0}});
  EXPECT_FALSE(memory.is_undecided());
  EXPECT_FALSE(memory.fault().has_value());
}

}  // namespace
}  // namespace warptune::profiling::verification
