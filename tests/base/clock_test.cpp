#include "base/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace warptune::base {
namespace {

TEST(UnixTime, IsTheTimeOfDayInMilliseconds) {
  const std::int64_t before_s = std::time(nullptr);
  const std::int64_t now_ms = unix_time_ms();
  const std::int64_t after_s = std::time(nullptr);
  // `time` may still show the last tick of the clock.
  EXPECT_GE(now_ms, before_s * 1000);
  EXPECT_LE(now_ms, after_s * 1000 + 1999);
}

}  // namespace
}  // namespace warptune::base
