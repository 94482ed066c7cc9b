// Many connections at once. store_contract.h says what these tests are.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::testing {

using ::testing::SizeIs;

constexpr int kThreads = 8;

// Runs `work` on `kThreads` threads, each with the number of its thread. Rethrows the first exception.
void on_threads(const std::function<void(int)>& work) {
  std::exception_ptr first;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

TEST_P(StoreContract, ManyConnectionsLeaseEachTaskOnce) {
  add_one(500);
  std::mutex mutex;
  std::vector<std::uint64_t> leased;
  on_threads([&](int thread) {
    const auto store = connect(Access::kNode);
    const std::string& id = thread % 2 == 0 ? kNodeA : kNodeB;
    while (const auto lease = store->lease(id, {{"one", 0}})) {
      if (lease->key.task % 3 == 0) store->finish(id, lease->key, {});
      const std::lock_guard lock(mutex);
      leased.push_back(lease->key.task);
    }
  });
  EXPECT_EQ(std::set<std::uint64_t>(leased.begin(), leased.end()).size(), 500U);
  EXPECT_THAT(leased, SizeIs(500));
  const std::map<TaskState, std::uint64_t> expected{{TaskState::kLeased, 333}, {TaskState::kDone, 167}};
  EXPECT_EQ(administrator().campaigns().at(0).tasks, expected);
}

TEST_P(StoreContract, ALeaseThatEndsIsLeasedByOneNodeOnly) {
  add_one(1);
  for (int round = 0; round < 5; ++round) {
    lease_one(kNodeA);
    end_leases();
    std::atomic<int> leased = 0;
    on_threads([&](int) {
      if (connect(Access::kNode)->lease(kNodeA, {{"one", 0}})) ++leased;
    });
    EXPECT_EQ(leased, 1);
    end_leases();
  }
  EXPECT_THAT(task_of_one(0).attempts, SizeIs(10));
}

TEST_P(StoreContract, AReportAndTheEndOfItsLeaseExcludeEachOther) {
  add_one(20);
  for (int round = 0; round < 20; ++round) {
    const Lease lease = lease_one(kNodeA);
    end_leases();
    std::atomic<bool> closed = false;
    std::atomic<bool> leased = false;
    on_threads([&](int thread) {
      if (thread > 1) return;
      const auto store = connect(Access::kNode);
      if (thread == 0) closed = store->finish(kNodeA, lease.key, {});
      if (thread == 1) {
        const auto other = store->lease(kNodeB, {{"one", 0}});
        if (!other) return;
        leased = other->key.task == lease.key.task;
        store->give_back(kNodeB, other->key, AttemptEnd::kGivenBack, "stopped");
      }
    });
    EXPECT_FALSE(closed && leased);
    const TaskRecord record = task_of_one(lease.key.task);
    EXPECT_EQ(record.state, closed ? TaskState::kDone : TaskState::kOpen);
    if (!closed) node().finish(kNodeB, lease_one(kNodeB).key, {});
  }
}

TEST_P(StoreContract, NoBatchIsLeftOutWhileOthersPublish) {
  add_one(kThreads);
  constexpr std::uint64_t kBatches = 25;
  std::atomic<int> publishing = kThreads - 1;
  std::set<BatchName> published;
  std::set<BatchName> listed;
  std::mutex mutex;
  std::vector<LeaseKey> leases;
  for (int i = 0; i < kThreads; ++i) leases.push_back(lease_one(kNodeA).key);
  on_threads([&](int thread) {
    if (thread > 0) {
      const auto store = connect(Access::kNode);
      for (std::uint64_t i = 0; i < kBatches; ++i) {
        const BatchName name{leases[static_cast<std::size_t>(thread)], kNodeA, i};
        store->publish(name, "rows");
        const std::lock_guard lock(mutex);
        published.insert(name);
      }
      --publishing;
      return;
    }
    const auto store = connect(Access::kReader);
    std::string cursor;
    for (bool last = false; !last;) {
      last = publishing == 0;  // All is published before the last list is asked for.
      const BatchList list = store->batches({}, cursor);
      listed.insert(list.batches.begin(), list.batches.end());
      cursor = list.cursor;
      std::this_thread::yield();
    }
  });
  EXPECT_THAT(published, SizeIs(kBatches * (kThreads - 1)));
  EXPECT_TRUE(listed == published) << listed.size() << " of " << published.size() << " batches are listed";
}

TEST_P(StoreContract, OneOfManyCampaignsWithOneNameIsAdded) {
  std::atomic<int> added = 0;
  on_threads([&](int thread) {
    const auto store = connect(Access::kAdministrator);
    try {
      store->add_campaign(campaign_of("one", {class_of("kernel" + std::to_string(thread % 4))}, 5));
      ++added;
    } catch (const base::InputError&) {  // Another one was there.
    }
  });
  EXPECT_EQ(added, 2) << "two threads add the same campaign";
  EXPECT_THAT(administrator().tasks("one"), SizeIs(5));
}

TEST_P(StoreContract, CancellingLeavesNoTaskThatRuns) {
  add_one(100);
  std::atomic<bool> cancelled = false;
  on_threads([&](int thread) {
    const auto store = connect(thread == 0 ? Access::kAdministrator : Access::kNode);
    if (thread == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      store->cancel("one");
      cancelled = true;
      return;
    }
    while (const auto lease = store->lease(kNodeA, {{"one", 0}}))
      if (lease->key.task % 2 == 0) store->finish(kNodeA, lease->key, {});
  });
  EXPECT_TRUE(cancelled);
  node().heartbeat(kNodeA, {});
  const CampaignSummary summary = administrator().campaigns().at(0);
  for (const auto& [state, count] : summary.tasks)
    EXPECT_TRUE(state == TaskState::kDone || state == TaskState::kCancelled)
        << count << " tasks are " << to_string(state);
  EXPECT_THAT(node().open_classes(), ::testing::IsEmpty());
}

}  // namespace warptune::fleet::testing
