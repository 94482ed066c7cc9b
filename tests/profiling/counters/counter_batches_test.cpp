#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "profiling/counters/counter_session.h"
#include "tests/profiling/simulated_profiler.h"
#include "tests/sanitizers.h"

namespace warptune::profiling::counters {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kBatch = 3;

class CounterBatchTest : public ::testing::Test {
 protected:
  CounterSession make() {
    return {std::make_unique<SimulatedProfiler>(simulation_), kBatch, [this] { simulation_.log += "t"; }};
  }
  std::function<void()> prepare() {
    return [this] { simulation_.log += "p"; };
  }
  std::function<void()> launch() {
    return [this] { simulation_.log += "l"; };
  }
  void count(CounterSession& session, std::uint64_t id, std::optional<double> expected_ns = 1000.0) {
    session.count(id, prepare(), launch(), expected_ns);
  }
  static std::vector<std::uint64_t> ids(const std::vector<CounterReading>& readings) {
    std::vector<std::uint64_t> found;
    found.reserve(readings.size());
    for (const CounterReading& reading : readings) found.push_back(reading.id);
    return found;
  }

  Simulation simulation_;
};

TEST_F(CounterBatchTest, OnePassCountsAsItGoesAndThrowsTheFirstRangeAway) {
  CounterSession session = make();
  count(session, 7);
  count(session, 8);
  EXPECT_EQ(simulation_.log, "(<3t>p<0l>p<1l>");
  EXPECT_THAT(session.take(), IsEmpty());
  session.close();
  EXPECT_EQ(simulation_.log, "(<3t>p<0l>p<1l>).");
  const auto readings = session.take();
  EXPECT_THAT(ids(readings), ElementsAre(7, 8));
  EXPECT_EQ(readings[1].counters.at("range"), 1.0);
  EXPECT_FALSE(readings[1].disturbed);
  EXPECT_THAT(session.lost_ids(), IsEmpty());
}

TEST_F(CounterBatchTest, AFullBatchClosesAndTheNextOpensAnother) {
  CounterSession session = make();
  for (std::uint64_t id = 0; id < 4; ++id) count(session, id);
  EXPECT_THAT(ids(session.take()), ElementsAre(0, 1, 2));
  session.close();
  session.close();
  EXPECT_THAT(ids(session.take()), ElementsAre(3));
  EXPECT_EQ(simulation_.sessions, 2);
}

TEST_F(CounterBatchTest, OpeningEarlyOpensOnce) {
  CounterSession session = make();
  session.open();
  count(session, 1);
  session.close();
  EXPECT_EQ(simulation_.log, "(<3t>p<0l>).");
}

TEST_F(CounterBatchTest, FurtherPassesRunOverTheWholeBatchAndAreDecodedOnce) {
  simulation_.passes = 3;
  CounterSession session = make();
  count(session, 1);
  count(session, 2);
  session.close();
  const std::string pass = "(<3t>p<0l>p<1l>)";
  EXPECT_EQ(simulation_.log, pass + pass + pass + ".");
  EXPECT_THAT(ids(session.take()), ElementsAre(1, 2));
}

TEST_F(CounterBatchTest, KeepsWhatItLaunchesAgainAndNoLonger) {
  const auto module = std::make_shared<int>(0);
  for (const std::size_t passes : {1U, 2U}) {
    simulation_.passes = passes;
    CounterSession session = make();
    session.count(
        1, [] {}, [module] { ++*module; }, 0.0);
    EXPECT_EQ(module.use_count(), passes == 1 ? 1 : 2);
    session.close();
    EXPECT_EQ(module.use_count(), 1);
  }
  EXPECT_EQ(*module, 3);
}

TEST_F(CounterBatchTest, AnOpenSessionWithNothingCountedRunsNoFurtherPass) {
  simulation_.passes = 3;
  CounterSession session = make();
  session.open();
  session.close();
  EXPECT_EQ(simulation_.log, "(<3t>)");
}

TEST_F(CounterBatchTest, ASessionThatIsFollowedByAnotherRunsAllItsPasses) {
  simulation_.passes = 3;
  CounterSession session = make();
  session.open();
  session.close(true);
  EXPECT_EQ(simulation_.log, "(<3t>)(<3t>)(<3t>)");
  session.open();
  EXPECT_EQ(simulation_.sessions, 2);
}

TEST_F(CounterBatchTest, SaysWhichCountsAreDisturbed) {
  simulation_.duration_ns = {{0, 4.2e6}, {1, 4.2e6}, {2, 4.2e6}};
  CounterSession session = make();
  count(session, 1, 2e5);
  count(session, 2, 4e6);
  count(session, 3, std::nullopt);  // There is no time to compare with.
  const auto readings = session.take();
  ASSERT_EQ(readings.size(), 3U);
  EXPECT_TRUE(readings[0].disturbed);
  EXPECT_FALSE(readings[1].disturbed);
  EXPECT_FALSE(readings[2].disturbed);
  EXPECT_EQ(readings[0].counters.count("range"), 1U);
}

TEST_F(CounterBatchTest, AGraphHasNoMetricsThatNeedPatchedCode) {
  const std::string executed = "smsp__sass_thread_inst_executed_op_";
  simulation_.counters = {{executed + "fadd_pred_on.sum", 0.0},
                          {executed + "fmul_pred_on.sum", 0.0},
                          {executed + "ffma_pred_on.sum", 0.0}};
  CounterSession session = make();
  count(session, 1);
  session.count(2, prepare(), launch(), 1000.0, true);
  session.close();
  const auto readings = session.take();
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings[0].counters.at("fp32_operations"), 0.0);
  EXPECT_EQ(readings[1].counters, model::Counters({{"range", 1.0}}));
}

TEST_F(CounterBatchTest, JudgesByTheHostsTimeWhereTheGpusIsNotCounted) {
  simulation_.counts_duration = false;
  CounterSession session = make();
  const auto slow = [] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); };
  session.count(1, prepare(), slow, 1000.0);
  session.count(2, slow, launch(), 1e6);  // This is before the range and does no harm.
  session.close();
  const auto readings = session.take();
  ASSERT_EQ(readings.size(), 2U);
  EXPECT_TRUE(readings[0].disturbed);
  EXPECT_FALSE(readings[1].disturbed);
}

TEST_F(CounterBatchTest, ADisturbanceInAFurtherPassIsSeen) {
  simulation_.passes = 2;
  CounterSession session = make();
  int launches = 0;
  session.count(
      1, prepare(),
      [&] {
        if (++launches == 2) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      },
      1000.0);
  session.close();
  EXPECT_TRUE(session.take().at(0).disturbed);
}

TEST_F(CounterBatchTest, OnePassOfPatchedCodeMayTakeLongAndASecondLongOneIsADisturbance) {
  simulation_.passes = 3;
  simulation_.patches_code = true;
  for (const int long_passes : {1, 2}) {
    CounterSession session = make();
    int launches = 0;
    session.count(
        1, prepare(),
        [&] {
          if (++launches <= long_passes) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        },
        1000.0);
    session.close();
    EXPECT_EQ(session.take().at(0).disturbed, long_passes == 2);
  }
}

TEST_F(CounterBatchTest, AnAbandonedSessionTellsWhichIdsWereLostAndMakesNoFurtherCalls) {
  CounterSession session = make();
  for (std::uint64_t id = 0; id < 5; ++id) count(session, id);
  simulation_.log.clear();
  session.abandon();
  session.close();
  count(session, 5);
  EXPECT_EQ(simulation_.log, "!");
  EXPECT_THAT(session.lost_ids(), ElementsAre(3, 4, 5));
  EXPECT_THAT(ids(session.take()), ElementsAre(0, 1, 2));
}

TEST_F(CounterBatchTest, ALaunchThatThrowsLosesItsOwnIdAlone) {
  simulation_.passes = 2;
  CounterSession session = make();
  count(session, 1);
  EXPECT_THROW(session.count(2, prepare(), [] { throw std::runtime_error("refused"); }), std::runtime_error);
  count(session, 3);
  EXPECT_THAT(ids(session.take()), ElementsAre(1, 3));
  EXPECT_THAT(session.lost_ids(), ElementsAre(2));
  const std::string first = "(<3t>p<0l>p<1>p<2l>)";
  EXPECT_EQ(simulation_.log, first + "(<3t>p<0l><1>p<2l>)" + ".");
}

TEST_F(CounterBatchTest, ALaunchThatThrowsInAFurtherPassLosesTheBatch) {
  simulation_.passes = 2;
  CounterSession session = make();
  count(session, 1);
  int launches = 0;
  session.count(2, prepare(), [&] {
    if (++launches == 2) throw std::runtime_error("fault");
  });
  EXPECT_THROW(session.close(), std::runtime_error);
  EXPECT_THAT(session.take(), IsEmpty());
  EXPECT_THAT(session.lost_ids(), ElementsAre(1, 2));
}

TEST_F(CounterBatchTest, AProfilerThatFailsLosesTheBatch) {
  if (tests::kAddressSanitizer)
    GTEST_SKIP() << "the error's text comes from CUPTI, which the address sanitizer does not support";
  simulation_.fails_at_stop = 1;
  CounterSession session = make();
  count(session, 1);
  count(session, 2);
  EXPECT_THROW(session.close(), CuptiError);
  EXPECT_THAT(session.lost_ids(), ElementsAre(1, 2));
  EXPECT_THAT(session.take(), IsEmpty());
}

TEST_F(CounterBatchTest, ARangeThatTheProfilerDroppedIsLost) {
  simulation_.dropped_range = 1;
  CounterSession session = make();
  for (std::uint64_t id = 10; id < 13; ++id) count(session, id);
  EXPECT_THAT(ids(session.take()), ElementsAre(10, 12));
  EXPECT_THAT(session.lost_ids(), ElementsAre(11));
}

}  // namespace
}  // namespace warptune::profiling::counters
