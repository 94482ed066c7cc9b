#include "tuner/nodes/lease_keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/tuner/memory_store.h"

namespace warptune::tuner::nodes {
namespace {

using std::chrono::milliseconds;

void wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 2000 && !holds(); ++i) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(holds());
}

TEST(LeaseKeeperTest, ALostLeaseCancelsItsSession) {
  const auto state = std::make_shared<testing::MemoryState>();
  LeaseKeeper keeper([&] { return std::make_unique<testing::MemoryStore>(state); }, "node", milliseconds(5));
  base::Cancellation session;
  const fleet::LeaseKey lease{"c", 1, 1};
  EXPECT_FALSE(keeper.keeps(lease));
  const LeaseKeeper::Kept kept(keeper, lease, session);
  EXPECT_TRUE(keeper.keeps(lease));
  EXPECT_EQ(kept.state(), fleet::LeaseState::kHeld);
  {
    const std::lock_guard guard(state->mutex);
    state->heartbeat_answer = fleet::LeaseState::kLost;
  }
  wait_until([&] { return session.is_cancelled(); });
  EXPECT_EQ(kept.state(), fleet::LeaseState::kLost);
}

TEST(LeaseKeeperTest, AStoreThatIsAwayCancelsNothingAndIsAskedAgain) {
  const auto state = std::make_shared<testing::MemoryState>();
  std::atomic<int> opened{0};
  LeaseKeeper keeper(
      [&] {
        ++opened;
        return std::make_unique<testing::MemoryStore>(state);
      },
      "node", milliseconds(5));
  base::Cancellation session;
  const LeaseKeeper::Kept kept(keeper, {"c", 1, 1}, session);
  {
    const std::lock_guard guard(state->mutex);
    state->away = true;
  }
  const int before = opened;
  wait_until([&] { return opened > before + 2; });
  EXPECT_FALSE(session.is_cancelled());
  {
    const std::lock_guard guard(state->mutex);
    state->away = false;
    state->heartbeat_answer = fleet::LeaseState::kCancelled;
  }
  wait_until([&] { return session.is_cancelled(); });
}

TEST(LeaseKeeperTest, ARemovedCampaignEndsItsSessionAndTheOtherLeasesAreKept) {
  const auto state = std::make_shared<testing::MemoryState>();
  state->removed = {"gone"};
  LeaseKeeper keeper([&] { return std::make_unique<testing::MemoryStore>(state); }, "node", milliseconds(5));
  base::Cancellation session;
  base::Cancellation other_session;
  const LeaseKeeper::Kept kept(keeper, {"gone", 1, 1}, session);
  const LeaseKeeper::Kept other(keeper, {"c", 1, 1}, other_session);
  wait_until([&] { return session.is_cancelled(); });
  EXPECT_EQ(kept.state(), fleet::LeaseState::kLost);
  EXPECT_FALSE(other_session.is_cancelled());
  {  // The heartbeats of the other lease arrive.
    const std::lock_guard guard(state->mutex);
    state->heartbeat_answer = fleet::LeaseState::kCancelled;
  }
  wait_until([&] { return other_session.is_cancelled(); });
  EXPECT_EQ(other.state(), fleet::LeaseState::kCancelled);
}

}  // namespace
}  // namespace warptune::tuner::nodes
