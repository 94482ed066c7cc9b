#include "profiling/verification/verified_sample.h"

#include <gtest/gtest.h>

#include "profiling/verification/new_input_times.h"

namespace warptune::profiling::verification {
namespace {

/// A kernel that takes 85 us on inputs that it has not seen, and 11 us afterwards. The clock differs from the
/// session's in its first `off_clock` launches. Launch `wrong` is wrong.
class Kernel {
 public:
  explicit Kernel(int off_clock, int wrong = -1) : off_clock_(off_clock), wrong_(wrong) {}

  VerifiedSample take() {
    return take_verified(
        [this] {
          ++launches_;
          return timing::Sample{launches_ == 1 ? 85000.0 : 11000.0, 1980.0, launches_ <= off_clock_};
        },
        [this] {
          ++checks_;
          return launches_ == wrong_ ? std::optional<std::string>("wrong") : std::nullopt;
        });
  }
  int launches() const { return launches_; }
  int checks() const { return checks_; }

 private:
  int off_clock_;
  int wrong_;
  int launches_ = 0;
  int checks_ = 0;
};

TEST(VerifiedSample, AtTheSessionsClockIsOneLaunch) {
  Kernel kernel(0);
  const VerifiedSample taken = kernel.take();
  EXPECT_EQ(kernel.launches(), 1);
  EXPECT_EQ(taken.sample.ns, 85000.0);
  EXPECT_EQ(taken.first_ns, 85000.0);
}

TEST(VerifiedSample, ThatIsTakenAgainStillHasTheTimeOfTheFirstLaunchOnNewInputs) {
  Kernel kernel(1);
  const VerifiedSample taken = kernel.take();
  EXPECT_EQ(taken.sample.ns, 11000.0);
  EXPECT_EQ(taken.first_ns, 85000.0);
  const MemoryOfResults memory(false);
  EXPECT_TRUE(memory.are_suspicious({taken.first_ns, {11000.0, 11000.0}}));
  EXPECT_FALSE(memory.are_suspicious({taken.sample.ns, {11000.0, 11000.0}})) << "it would escape";
}

TEST(VerifiedSample, IsCheckedInEachRepetition) {
  Kernel right(2);
  EXPECT_FALSE(right.take().fault);
  EXPECT_EQ(right.checks(), 3);
  Kernel wrong_at_first(2, 1);
  EXPECT_EQ(wrong_at_first.take().fault, "wrong");
  EXPECT_EQ(wrong_at_first.launches(), 1);
}

TEST(VerifiedSample, ThatNeverFitsTheClockIsKeptAndMarked) {
  Kernel kernel(100);
  EXPECT_TRUE(kernel.take().sample.off_clock);
  EXPECT_EQ(kernel.launches(), 1 + timing::kMaxRepeats);
}

}  // namespace
}  // namespace warptune::profiling::verification
