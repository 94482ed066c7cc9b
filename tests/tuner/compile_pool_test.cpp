#include "tuner/detail/compile_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "base/error.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::detail {
namespace {

using search::Status;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CompilePoolTest : public ::testing::Test {
 protected:
  static kernel_templates::CompileRequest request(const std::string& body, const std::string& before = "") {
    return {"pool.cu",
            before + "extern \"C\" __global__ void f(float* x) { " + body + " }",
            {"f"},
            {"-std=c++17"},
            "sm_90"};
  }

  // Compiles for minutes: every instance of a template needs two more.
  static kernel_templates::CompileRequest endless() {
    return request("x[0] = V<30, 0>::value;",
                   "template <int N, long I> struct V { static constexpr long value = "
                   "V<N - 1, 2 * I>::value + V<N - 1, 2 * I + 1>::value; };"
                   "template <long I> struct V<0, I> { static constexpr long value = I; };");
  }

  // Collects until `count` results are there.
  static std::map<std::uint64_t, CompileResult> collect(CompilePool& pool, std::size_t count) {
    std::map<std::uint64_t, CompileResult> results;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (results.size() < count && std::chrono::steady_clock::now() < end) {
      std::vector<pollfd> polled;
      for (const int descriptor : pool.descriptors()) polled.push_back({descriptor, POLLIN, 0});
      ::poll(polled.data(), polled.size(), 50);
      for (CompileResult& result : pool.collect()) results.emplace(result.id, std::move(result));
    }
    return results;
  }

  tuner::testing::ScopedVariable worker_{"WARPTUNE_WORKER", WARPTUNE_BINARY};
  CompilePool pool_{2, std::chrono::seconds(60)};
};

TEST_F(CompilePoolTest, ManyProgramsComeBackUnderTheirNumbers) {
  for (std::uint64_t i = 0; i < 20; ++i)
    pool_.submit(100 + i,
                 request("__shared__ float s[" + std::to_string(i + 1) +
                         "]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[0];"));
  EXPECT_EQ(pool_.pending(), 20U);
  const auto results = collect(pool_, 20);
  ASSERT_THAT(results, SizeIs(20));
  EXPECT_EQ(pool_.pending(), 0U);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto& outcome = results.at(100 + i).outcome;
    ASSERT_TRUE(outcome.has_value()) << outcome.error().reason;
    EXPECT_EQ(outcome->find_entry("f").static_shared_bytes, static_cast<std::int64_t>(4 * (i + 1)));
  }
}

TEST_F(CompilePoolTest, AProgramThatDoesNotCompileIsAnOutcomeWithItsLog) {
  pool_.submit(1, request("x[0] = nonsense;"));
  pool_.submit(2, request("x[0] = 1;"));
  const auto results = collect(pool_, 2);
  ASSERT_FALSE(results.at(1).outcome.has_value());
  EXPECT_EQ(results.at(1).outcome.error().status, Status::kCompileFailed);
  EXPECT_THAT(results.at(1).outcome.error().reason, HasSubstr("\"nonsense\" is undefined"));
  EXPECT_TRUE(results.at(2).outcome.has_value());
}

TEST_F(CompilePoolTest, AWorkerKilledAtItsWorkEndsOnlyThatProgram) {
  pool_.submit(1, endless());
  const std::vector<pid_t> children = tuner::testing::children_of(::getpid());
  ASSERT_THAT(children, SizeIs(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(children[0], SIGKILL);
  for (std::uint64_t id = 2; id < 8; ++id) pool_.submit(id, request("x[0] = 1;"));
  const auto results = collect(pool_, 7);
  ASSERT_THAT(results, SizeIs(7));
  ASSERT_FALSE(results.at(1).outcome.has_value());
  EXPECT_EQ(results.at(1).outcome.error().status, Status::kWorkerDied);
  EXPECT_EQ(results.at(1).outcome.error().reason, "the compile worker ended: signal 9 (Killed)");
  for (std::uint64_t id = 2; id < 8; ++id) EXPECT_TRUE(results.at(id).outcome.has_value()) << id;
}

TEST_F(CompilePoolTest, AWorkerKilledWhileItWaitsCostsNoProgram) {
  pool_.submit(1, request("x[0] = 1;"));
  ASSERT_THAT(collect(pool_, 1), SizeIs(1));
  for (const pid_t child : tuner::testing::children_of(::getpid())) ::kill(child, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  pool_.submit(2, request("x[0] = 2;"));
  EXPECT_TRUE(collect(pool_, 1).at(2).outcome.has_value());
}

TEST_F(CompilePoolTest, AProgramPastTheDeadlineTimesOutAndTheNextStillCompiles) {
  CompilePool pool(1, std::chrono::seconds(1));
  pool.submit(1, endless());
  pool.submit(2, request("x[0] = 1;"));
  const auto results = collect(pool, 2);
  ASSERT_THAT(results, SizeIs(2));
  ASSERT_FALSE(results.at(1).outcome.has_value());
  EXPECT_EQ(results.at(1).outcome.error().status, Status::kTimedOut);
  EXPECT_EQ(results.at(1).outcome.error().reason, "compiling took more than 1 s");
  EXPECT_TRUE(results.at(2).outcome.has_value());
}

TEST_F(CompilePoolTest, WhatIsDroppedNeverComesBack) {
  for (std::uint64_t id = 0; id < 20; ++id) pool_.submit(id, request("x[0] = 1;"));
  pool_.drop_waiting();
  EXPECT_EQ(pool_.pending(), 2U);
  EXPECT_THAT(collect(pool_, 2), SizeIs(2));
  EXPECT_EQ(pool_.pending(), 0U);
}

TEST_F(CompilePoolTest, AllAtOnceComeInTheirOrderPastWhatWasDropped) {
  pool_.submit(7, request("x[0] = 7;"));
  const auto outcomes = pool_.compile_all({request("x[0] = 1;"), request("nonsense;"),
                                           request("__shared__ float s[8]; s[threadIdx.x] = x[threadIdx.x]; "
                                                   "__syncthreads(); x[threadIdx.x] = s[1];")});
  ASSERT_THAT(outcomes, SizeIs(3));
  EXPECT_EQ(outcomes[0]->find_entry("f").static_shared_bytes, 0);
  EXPECT_FALSE(outcomes[1].has_value());
  EXPECT_EQ(outcomes[2]->find_entry("f").static_shared_bytes, 32);
}

TEST_F(CompilePoolTest, AllAtOnceNeedsThatNothingWaits) {
  for (std::uint64_t id = 0; id < 3; ++id) pool_.submit(id, request("x[0] = 1;"));
  EXPECT_THROW(pool_.compile_all({request("x[0] = 1;")}), base::InternalError);
}

TEST_F(CompilePoolTest, NoWorkerOutlivesThePool) {
  {
    CompilePool pool(2, std::chrono::seconds(60));
    pool.submit(1, endless());
    pool.submit(2, endless());
    EXPECT_THAT(tuner::testing::children_of(::getpid()), SizeIs(2));
  }
  EXPECT_THAT(tuner::testing::children_of(::getpid()), SizeIs(0));
}

}  // namespace
}  // namespace warptune::tuner::detail
