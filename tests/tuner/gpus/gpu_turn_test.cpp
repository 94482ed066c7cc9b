#include "tuner/gpus/gpu_turn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"

namespace warptune::tuner::gpus {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMoment{150};  // Longer than a waiting session sleeps.

// A thread that takes its turn, notes it, and ends when it is told to.
class Taker {
 public:
  explicit Taker(const std::vector<int>& ordinals, std::optional<std::thread::id> owner = std::nullopt)
      : thread_([this, ordinals, owner] {
          std::optional<TurnsOf> as;
          if (owner) as.emplace(*owner);
          const GpuTurn turn(ordinals, cancellation_);
          has_it_ = true;
          end_.get_future().wait();
        }) {
    std::this_thread::sleep_for(kMoment);  // The next one comes later.
  }
  ~Taker() {
    cancel();
    end();
  }
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;

  void end() {
    if (!thread_.joinable()) return;
    end_.set_value();
    thread_.join();
  }
  void cancel() { cancellation_.cancel(); }
  std::thread::id id() const { return thread_.get_id(); }
  bool has_it() const { return has_it_; }
  bool gets_it() const {
    for (int i = 0; i < 100 && !has_it_; ++i) std::this_thread::sleep_for(milliseconds(20));
    return has_it_;
  }

 private:
  base::Cancellation cancellation_;
  std::atomic<bool> has_it_ = false;
  std::promise<void> end_;
  std::thread thread_;
};

TEST(TurnTest, SessionsOfOneGpuComeOneAfterTheOtherInTheirOrder) {
  Taker first({0});
  Taker second({0});
  Taker third({0});
  EXPECT_TRUE(first.has_it());
  EXPECT_FALSE(second.has_it());
  first.end();
  EXPECT_TRUE(second.gets_it());
  std::this_thread::sleep_for(kMoment);
  EXPECT_FALSE(third.has_it());
  second.end();
  EXPECT_TRUE(third.gets_it());
}

TEST(TurnTest, SessionsOfDifferentGpusDoNotWait) {
  Taker first({0});
  Taker second({1, 2});
  EXPECT_TRUE(second.has_it());
  Taker third({2, 0});
  EXPECT_FALSE(third.has_it());
  Taker fourth({3});
  EXPECT_TRUE(fourth.has_it());
  second.end();
  std::this_thread::sleep_for(kMoment);
  EXPECT_FALSE(third.has_it());
  first.end();
  EXPECT_TRUE(third.gets_it());
}

TEST(TurnTest, ACancelledSessionWaitsNoLonger) {
  Taker first({0});
  Taker second({0});
  EXPECT_FALSE(second.has_it());
  second.cancel();
  EXPECT_TRUE(second.gets_it());
  Taker third({0});
  second.end();
  std::this_thread::sleep_for(kMoment);
  EXPECT_FALSE(third.has_it());  // The first one still measures.
}

TEST(TurnTest, ASessionWithinASessionDoesNotWaitForItNorForThoseWhoDo) {
  Taker outer({0});
  Taker other({0});
  Taker inner({0}, outer.id());
  EXPECT_TRUE(inner.has_it());
  outer.end();
  std::this_thread::sleep_for(kMoment);
  EXPECT_FALSE(other.has_it());
  inner.end();
  EXPECT_TRUE(other.gets_it());
}

TEST(TurnTest, ASessionWithinASessionWaitsForOneThatMeasuresOnItsOwnOtherGpu) {
  Taker outer({0});
  Taker other({1});
  Taker inner({1}, outer.id());
  EXPECT_FALSE(inner.has_it());
  other.end();
  EXPECT_TRUE(inner.gets_it());
}

TEST(TurnTest, SessionsThatWouldWaitForEachOtherAreRefused) {
  Taker first({0});
  Taker second({1});
  Taker within_first({1}, first.id());
  EXPECT_FALSE(within_first.has_it());
  const base::Cancellation never;
  const TurnsOf as(second.id());
  EXPECT_THROW(GpuTurn({0}, never), base::WorkError);
}

TEST(TurnTest, AForkedProcessDoesNotWaitForTheThreadsOfItsParent) {
  Taker first({0});
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    const base::Cancellation never;
    { const GpuTurn turn({0}, never); }
    ::_exit(0);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace warptune::tuner::gpus
