// Sessions that search the same at the same time, in one process and in several.
#include "tuner/session/loop/shared_search.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "db/claims/claims.h"
#include "db/store.h"
#include "search/strategy.h"
#include "tests/child_process.h"
#include "tests/tuner/fake_evaluator.h"

namespace warptune::tuner::session::loop {
namespace {

using tests::exit_status;
using tests::fork_with;

// One direction of a conversation between processes.
class Line {
 public:
  Line() {
    if (::pipe(ends_) != 0) throw base::MachineError("no pipe", "");
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void say() const { ASSERT_EQ(::write(ends_[1], "x", 1), 1); }
  void hear() const {
    char byte = 0;
    ASSERT_EQ(::read(ends_[0], &byte, 1), 1);
  }

 private:
  int ends_[2];
};

// Calls a function with each report of the progress.
struct ProgressListener : SessionListener {
  explicit ProgressListener(std::function<void(const SessionProgress&)> called) : call(std::move(called)) {}
  void on_event(const SessionEvent& event) override {
    if (const auto* progress = std::get_if<SessionProgress>(&event)) call(*progress);
  }
  std::function<void(const SessionProgress&)> call;
};

class SharedSearchTest : public testing::SessionTest {
 protected:
  // The evaluations of all sessions, and how many of them were made before.
  struct Count {
    std::size_t rows = 0;
    std::set<std::int64_t> evaluated;
    std::size_t twice() const { return rows - evaluated.size(); }
  };
  Count count() const {
    Count counted;
    for (const db::Session& session : store_.sessions()) {
      for (const db::StoredMeasurement& row : store_.session_measurements(session.id)) {
        ++counted.rows;
        counted.evaluated.insert(testing::x_of(row.measurement.configuration));
      }
    }
    std::printf("%zu evaluations, %zu of them were made twice\n", counted.rows, counted.twice());
    return counted;
  }

  // Runs a session beside the one of `evaluator_`, in the first evaluation of which it is called.
  SessionResult run_beside(const SessionPlan& plan, testing::FakeEvaluator& evaluator) {
    db::Store store(folder_ / "warptune.db");
    SilentListener listener;
    return run_session(plan, evaluator, store, listener, cancellation_);
  }

  // Runs a second session with `plan` in the first evaluation of a first one.
  void run_both(const SessionPlan& first, const SessionPlan& second) {
    const auto answer = evaluator_.answer;
    evaluator_.answer = [&, answer](const model::NamedValues& configuration) {
      if (!second_) second_ = run_beside(second, beside_);
      return answer(configuration);
    };
    first_ = run(first);
  }

  testing::FakeEvaluator beside_;
  SessionResult first_;
  std::optional<SessionResult> second_;
};

TEST_F(SharedSearchTest, WhatAnotherSessionEvaluatesIsLeftToItAndItsRowsAreTakenOver) {
  SessionPlan all = testing::line_plan(10);
  all.strategy = "random";
  SessionPlan five = all;
  five.budget = Budget::parse("5");
  run_both(all, five);
  EXPECT_EQ(second_->progress.evaluated, 5U);
  EXPECT_EQ(first_.progress.evaluated, 5U);
  EXPECT_EQ(first_.progress.known, 5U);
  EXPECT_EQ(first_.progress.shared, 5U);
  EXPECT_TRUE(first_.exhausted);
  EXPECT_EQ(testing::x_of(first_.best->configuration), 1);
  const Count counted = count();
  EXPECT_EQ(counted.rows, 10U);
  EXPECT_EQ(counted.evaluated.size(), 10U);
}

TEST_F(SharedSearchTest, TheBestOfAnotherSessionIsTheIncumbentOfThisOne) {
  SessionPlan plan = testing::line_plan(10);
  plan.strategy = "random";
  SessionPlan others = testing::line_plan(10, "1");
  others.default_configuration = testing::at(1);
  run_both(plan, others);
  ASSERT_FALSE(evaluator_.incumbents.empty());
  EXPECT_DOUBLE_EQ(evaluator_.incumbents.back(), 1001.0);
  for (const std::int64_t x : evaluator_.submitted) EXPECT_NE(x, 1);
}

TEST_F(SharedSearchTest, ABudgetCountsOnlyTheEvaluationsOfItsSession) {
  run_both(testing::line_plan(30, "10"), testing::line_plan(30, "6"));
  EXPECT_EQ(first_.progress.evaluated, 10U);
  EXPECT_EQ(second_->progress.evaluated, 6U);
  EXPECT_EQ(count().evaluated.size(), 16U);
}

TEST_F(SharedSearchTest, AFreshSessionSharesNothing) {
  SessionPlan fresh = testing::line_plan(5);
  fresh.fresh = true;
  run_both(testing::line_plan(5, "3"), fresh);
  EXPECT_EQ(second_->progress.evaluated, 5U);
  EXPECT_EQ(second_->progress.shared, 0U);
}

TEST_F(SharedSearchTest, WhatAnotherSessionGivesUpIsEvaluatedHere) {
  // The second session is cancelled before its evaluations end.
  const auto answer = evaluator_.answer;
  evaluator_.answer = [&, answer](const model::NamedValues& configuration) {
    if (!second_) {
      base::Cancellation cancelled;
      beside_.ahead = 4;
      beside_.on_submit = [&](const evaluation::Candidate&) { cancelled.cancel(); };
      db::Store store(folder_ / "warptune.db");
      SilentListener listener;
      second_ = run_session(testing::line_plan(10), beside_, store, listener, cancelled);
    }
    return answer(configuration);
  };
  EXPECT_EQ(run(testing::line_plan(10)).progress.evaluated, 10U);
  EXPECT_TRUE(second_->interrupted);
  EXPECT_EQ(count().rows, 10U);
}

// The claims of another session with this plan.
struct Beside {
  Beside(const std::filesystem::path& path, const SessionPlan& plan)
      : store(path), claims(store, {plan.workload, plan.source(), plan.objective.text(), false}, [] {
          return db::claims::Claims::Configurations{};
        }) {
    claims.enter();
  }
  std::vector<bool> claim(std::initializer_list<std::int64_t> xs) {
    db::claims::Claims::Configurations wanted;
    for (const std::int64_t x : xs) wanted.push_back(testing::at(x));
    return claims.claim(wanted);
  }
  db::Store store;
  db::claims::Claims claims;
};

TEST_F(SharedSearchTest, WhatASessionHasDroppedIsFreeWhileItReadsCounters) {
  const SessionPlan plan = testing::line_plan(10);
  Beside beside(folder_ / "warptune.db", plan);
  evaluator_.ahead = 4;
  const auto answer = evaluator_.answer;
  evaluator_.answer = [&, answer](const model::NamedValues& configuration) {
    cancellation_.cancel();
    return answer(configuration);
  };
  std::vector<bool> granted;
  evaluator_.on_close_counters = [&] {
    const std::vector<std::int64_t>& asked = evaluator_.submitted;
    granted = beside.claim({asked.at(1), asked.at(2), asked.at(3)});
  };
  run(plan);
  EXPECT_EQ(evaluator_.dropped, 3U);
  EXPECT_EQ(granted, std::vector<bool>(3, true));
}

TEST_F(SharedSearchTest, RowsThatWaitForCountersStayClaimedWhileTheseAreRead) {
  SessionPlan plan = testing::line_plan(10, "2");
  plan.objective = model::Objective::parse("energy");
  evaluator_.count = [](const model::NamedValues&) -> model::Counters { return {{"energy_j", 1.0}}; };
  std::vector<bool> granted;
  evaluator_.on_close_counters = [&] {  // The session was alone until now.
    if (!granted.empty()) return;
    Beside beside(folder_ / "warptune.db", plan);
    EXPECT_FALSE(beside.claims.must_wait());
    granted = beside.claim({evaluator_.submitted.at(0), evaluator_.submitted.at(1)});
  };
  run(plan);
  EXPECT_EQ(granted, std::vector<bool>(2, false));
}

TEST_F(SharedSearchTest, RowsWhoseCountersComeLaterAreTakenOverWithTheirValues) {
  SessionPlan plan = testing::line_plan(10);
  plan.strategy = "random";
  plan.objective = model::Objective::parse("energy");
  SessionPlan five = plan;
  five.budget = Budget::parse("5");
  evaluator_.count = beside_.count = [](const model::NamedValues& configuration) -> model::Counters {
    return {{"energy_j", static_cast<double>(testing::x_of(configuration))}};
  };
  beside_.counters_after = 2;
  run_both(plan, five);
  EXPECT_EQ(count().twice(), 0U);
  EXPECT_EQ(first_.progress.shared, 5U);
  EXPECT_DOUBLE_EQ(*first_.best_value, 1.0);
}

TEST_F(SharedSearchTest, ASessionThatIsAloneMakesTheChoicesOfItsStrategy) {
  for (const search::StrategyInfo& strategy : search::strategy_table()) {
    const testing::TemporaryFolder folder;
    db::Store store(folder / "warptune.db");
    testing::FakeEvaluator evaluator;
    SessionPlan plan = testing::line_plan(60, "40");
    plan.strategy = strategy.name;
    run_session(plan, evaluator, store, listener_, cancellation_);
    testing::FakeEvaluator unshared;
    plan.fresh = true;  // It shares nothing.
    db::Store other(folder / "other.db");
    run_session(plan, unshared, other, listener_, cancellation_);
    EXPECT_EQ(evaluator.submitted, unshared.submitted) << strategy.name;
  }
}

TEST_F(SharedSearchTest, TwoProcessesWithTheSameSeedEvaluateAtMostFivePerCentTwice) {
  for (const char* strategy : {"random", "auto"}) {
    constexpr std::int64_t kSize = 300;
    const std::filesystem::path path = folder_ / (std::string(strategy) + ".db");
    { const db::Store made(path); }  // SQLite forbids that a process is forked while it uses the file.
    const Line began;
    const Line go;
    const auto search = [&] {
      db::Store store(path);
      testing::FakeEvaluator evaluator;
      const auto answer = evaluator.answer;
      bool first = true;
      evaluator.answer = [&](const model::NamedValues& configuration) {
        if (std::exchange(first, false)) {
          began.say();
          go.hear();
        }
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        return answer(configuration);
      };
      SessionPlan plan = testing::line_plan(kSize);
      plan.strategy = strategy;
      SilentListener listener;
      const SessionResult result = run_session(plan, evaluator, store, listener, cancellation_);
      if (!result.exhausted || result.progress.shared == 0) ::_exit(1);
    };
    const pid_t children[] = {fork_with(search), fork_with(search)};
    for (int i = 0; i < 2; ++i) began.hear();
    for (int i = 0; i < 2; ++i) go.say();
    for (const pid_t child : children) EXPECT_EQ(exit_status(child), 0) << strategy;
    store_ = db::Store(path);
    const Count counted = count();
    EXPECT_EQ(counted.evaluated.size(), static_cast<std::size_t>(kSize)) << strategy;
    EXPECT_LE(counted.twice() * 20, counted.rows) << strategy;
  }
}

// The killed session is in the middle: it shares the work, and has claimed what it never evaluates.
TEST_F(SharedSearchTest, WhatAKilledSessionHadClaimedTheOtherEvaluates) {
  constexpr std::uint64_t kSize = 200;
  const std::filesystem::path path = folder_ / "killed.db";
  { const db::Store made(path); }
  const Line began;
  const Line go;
  const pid_t child = fork_with([&] {
    db::Store store(path);
    testing::FakeEvaluator evaluator;
    std::uint64_t shared = 0;
    std::size_t answered = 0;
    const auto answer = evaluator.answer;
    evaluator.answer = [&](const model::NamedValues& configuration) {
      if (++answered == 20) {
        began.say();
        go.hear();
      }
      if (shared > 0 || answered == 100) ::pause();
      return answer(configuration);
    };
    ProgressListener listener([&](const SessionProgress& progress) { shared = progress.shared; });
    run_session(testing::line_plan(kSize), evaluator, store, listener, cancellation_);
  });
  began.hear();
  store_ = db::Store(path);
  bool is_killed = false;
  bool has_gone = false;
  ProgressListener listener([&](const SessionProgress& progress) {
    if (!std::exchange(has_gone, true)) go.say();
    const bool only_claimed_left = progress.known + progress.evaluated + evaluator_.ahead >= kSize;
    if (!only_claimed_left || std::exchange(is_killed, true)) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  });
  const SessionResult result =
      run_session(testing::line_plan(kSize), evaluator_, store_, listener, cancellation_);
  EXPECT_TRUE(is_killed);
  EXPECT_TRUE(result.exhausted);
  EXPECT_GE(result.progress.known, 20U);
  const Count counted = count();
  EXPECT_EQ(counted.evaluated.size(), kSize);
  EXPECT_LE(counted.twice() * 20, counted.rows);
}

}  // namespace
}  // namespace warptune::tuner::session::loop
