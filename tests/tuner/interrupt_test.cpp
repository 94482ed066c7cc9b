#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

namespace warptune::tuner {
namespace {

TEST(InterruptTest, ASignalCancelsAndTheProgramGoesOn) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const base::InterruptGuard guard;
    EXPECT_FALSE(guard.cancellation().is_cancelled());
    ::raise(signal);
    EXPECT_TRUE(guard.cancellation().is_cancelled());
  }
}

TEST(InterruptTest, SignalsOfATerminalThatClosesEndNothingAtOnce) {
  const base::InterruptGuard guard;
  for (const int signal : {SIGHUP, SIGHUP, SIGTERM, SIGHUP}) ::raise(signal);
  EXPECT_TRUE(guard.cancellation().is_cancelled());
  EXPECT_EQ(guard.signal(), SIGTERM);
}

TEST(InterruptTest, RequestsToEndThatComeTogetherAreOne) {
  for (const int first : {SIGINT, SIGTERM}) {
    const base::InterruptGuard guard;
    for (const int signal : {first, SIGTERM, SIGTERM}) ::raise(signal);
    EXPECT_EQ(guard.signal(), first);
  }
}

TEST(InterruptTest, AHangUpThatIsIgnoredStaysIgnored) {
  ::signal(SIGHUP, SIG_IGN);  // As nohup does.
  {
    const base::InterruptGuard guard;
    ::raise(SIGHUP);
    EXPECT_FALSE(guard.cancellation().is_cancelled());
  }
  ::signal(SIGHUP, SIG_DFL);
}

TEST(InterruptTest, AProgramMayInterruptItself) {
  base::InterruptGuard guard;
  guard.interrupt();
  EXPECT_TRUE(guard.cancellation().is_cancelled());
  EXPECT_EQ(guard.signal(), 0);
}

TEST(InterruptTest, ANewGuardStartsUncancelled) {
  {
    const base::InterruptGuard guard;
    ::raise(SIGINT);
  }
  const base::InterruptGuard guard;
  EXPECT_FALSE(guard.cancellation().is_cancelled());
}

void ignore(int) {}

TEST(InterruptTest, TheEndOfTheGuardBringsBackWhatWasThereBefore) {
  struct sigaction before {};
  before.sa_handler = ignore;
  ASSERT_EQ(::sigaction(SIGINT, &before, nullptr), 0);
  { const base::InterruptGuard guard; }
  struct sigaction after {};
  ASSERT_EQ(::sigaction(SIGINT, nullptr, &after), 0);
  EXPECT_EQ(after.sa_handler, &ignore);
  ::signal(SIGINT, SIG_DFL);
}

TEST(InterruptDeathTest, ALaterRequestToEndEndsTheProgramAtOnce) {
  EXPECT_EXIT(
      {
        const base::InterruptGuard guard;
        ::raise(SIGTERM);
        std::this_thread::sleep_for(base::InterruptGuard::kPatience + std::chrono::milliseconds(1100));
        ::raise(SIGTERM);
      },
      ::testing::ExitedWithCode(130), "");
}

TEST(InterruptDeathTest, ASecondInterruptionEndsTheProgramAtOnceWithThatExitCode) {
  EXPECT_EXIT(
      {
        const base::InterruptGuard guard;
        ::raise(SIGINT);
        ::raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace warptune::tuner
