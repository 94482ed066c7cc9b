#include "profiling/timing/clock_watch.h"

#include <gtest/gtest.h>

namespace warptune::profiling::timing {
namespace {

TEST(ClockWatch, KnowsNoClockBeforeTheFirstReading) {
  ClockWatch watch(0.01);
  EXPECT_EQ(watch.session_mhz(), 0.0);
  EXPECT_FALSE(watch.is_off(1980.0));
  watch.note(0.0);
  EXPECT_EQ(watch.session_mhz(), 0.0);
}

TEST(ClockWatch, TellsReadingsOffTheSessionsClock) {
  ClockWatch watch(0.01);
  for (int i = 0; i < 10; ++i) watch.note(1980.0 + i % 2);
  EXPECT_FALSE(watch.is_off(1975.0));
  EXPECT_TRUE(watch.is_off(1905.0));
  EXPECT_TRUE(watch.is_off(2005.0));
  EXPECT_FALSE(watch.is_off(0.0)) << "without a reading nothing is known";
}

TEST(ClockWatch, IsNotMovedByAPassingDip) {
  ClockWatch watch(0.01);
  for (int i = 0; i < 60; ++i) watch.note(1980.0);
  for (int i = 0; i < 20; ++i) watch.note(1300.0);
  EXPECT_EQ(watch.session_mhz(), 1980.0);
  EXPECT_TRUE(watch.is_off(1300.0));
}

TEST(ClockWatch, FollowsALastingChange) {
  ClockWatch watch(0.01);
  for (int i = 0; i < 1000; ++i) watch.note(1980.0);
  for (int i = 0; i < 60; ++i) watch.note(1300.0);
  EXPECT_EQ(watch.session_mhz(), 1300.0);
  EXPECT_FALSE(watch.is_off(1300.0));
  EXPECT_TRUE(watch.is_off(1980.0));
}

}  // namespace
}  // namespace warptune::profiling::timing
