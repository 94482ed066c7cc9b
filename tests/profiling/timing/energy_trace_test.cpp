#include "profiling/timing/energy_trace.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace warptune::profiling::timing {
namespace {

TEST(EnergyTrace, BeginsAndEndsAtTicks) {
  EnergyTrace trace;
  // The counter moves between 0.15 and 0.16, 0.25 and 0.26, 0.35 and 0.36. A launch takes 10 ms.
  const auto energy_at = [](double time_s) {
    return std::uint64_t{5000} + (time_s < 0.155   ? 0U
                                  : time_s < 0.255 ? 70'000U
                                  : time_s < 0.355 ? 130'000U
                                                   : 190'000U);
  };
  for (int i = 0; i <= 40; ++i) {
    trace.poll(0.01 * i, energy_at(0.01 * i));
    trace.note_launches(0.01 * i, i);
  }
  EXPECT_TRUE(trace.covers(0.19));
  EXPECT_FALSE(trace.covers(0.21));
  const auto window = trace.window(0.19);
  ASSERT_TRUE(window);
  EXPECT_NEAR(window->joules, 120.0, 1e-9);
  EXPECT_NEAR(window->seconds, 0.2, 1e-9);
  EXPECT_NEAR(window->launches, 20.0, 1e-6);
  EXPECT_NEAR(window->joules_per_launch(), 6.0, 1e-6);
  EXPECT_NEAR(window->watts(), 600.0, 1e-6);
  // The ticks are uncertain by twice 5 ms of 200 ms. Both halves have the same power.
  EXPECT_NEAR(window->relative_error, 0.05, 1e-6);
  ASSERT_TRUE(trace.window(0.05));
  EXPECT_NEAR(trace.window(0.05)->joules, 60.0, 1e-9);
}

TEST(EnergyTrace, BreaksTheLaunchesThatATickFallsInto) {
  EnergyTrace trace;
  trace.note_launches(0.0, 0.0);
  trace.note_launches(1.0, 100.0);
  trace.note_launches(2.0, 150.0);
  trace.poll(0.4, 0);
  trace.poll(0.4, 1000);
  trace.poll(1.5, 2000);  // There is a tick at 0.95.
  const auto window = trace.window(0.1);
  ASSERT_TRUE(window);
  EXPECT_NEAR(window->launches, 95.0 - 40.0, 1e-6);
}

TEST(EnergyTrace, HasNoWindowWithoutTicksOrLaunches) {
  EnergyTrace trace;
  trace.note_launches(0.0, 0.0);
  for (int i = 0; i < 100; ++i) trace.poll(0.01 * i, 7);
  EXPECT_FALSE(trace.covers(0.0));
  EXPECT_FALSE(trace.window(0.0));
  trace.poll(1.0, 8);
  trace.poll(2.0, 9);
  EXPECT_TRUE(trace.covers(0.5));
  EXPECT_FALSE(trace.window(0.5)) << "no launch is known to have ended";
  trace.note_launches(3.0, 0.0);
  EXPECT_FALSE(trace.window(0.5)) << "no launch ran";
  trace.note_launches(3.5, 5.0);
  EXPECT_FALSE(trace.window(0.5)) << "the launch ran later";
}

TEST(EnergyTrace, CountsDriftAsError) {
  EnergyTrace trace;
  trace.note_launches(0.0, 0.0);
  trace.note_launches(10.0, 1000.0);
  std::uint64_t energy = 0;
  for (int i = 0; i <= 8; ++i) {
    trace.poll(i - 1e-6, energy);
    energy += i < 4 ? 800 : 400;
    trace.poll(i + 1e-6, energy);
  }
  const auto window = trace.window(7.5);
  ASSERT_TRUE(window);
  EXPECT_NEAR(window->relative_error, 0.5 * 400.0 / 600.0, 0.1);
}

}  // namespace
}  // namespace warptune::profiling::timing
