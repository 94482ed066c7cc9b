#include "profiling/counters/counter_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "tests/profiling/simulated_profiler.h"
#include "tests/sanitizers.h"

namespace warptune::profiling::counters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kCountingBatch = 3;

class CountingTest : public ::testing::Test {
 protected:
  CounterCollector make(bool count = true) {
    CounterSource source;
    source.choose = [this] { return choice_; };
    source.make_session = [this](const std::vector<std::string>& metrics) {
      made_for_ = metrics;
      if (!refusal_.empty()) throw base::MachineError(refusal_, "");
      return std::make_unique<CounterSession>(std::make_unique<SimulatedProfiler>(simulation_),
                                              kCountingBatch, [] {});
    };
    return {"GH100", std::move(source), count};
  }
  static bool count(CounterCollector& counting, std::uint64_t id) {
    return counting.count(
        id, [] {}, [] {});
  }
  static std::vector<std::uint64_t> ids(const std::vector<CounterReading>& readings) {
    std::vector<std::uint64_t> found;
    for (const CounterReading& reading : readings) found.push_back(reading.id);
    return found;
  }

  MetricChoice choice_ = {{"dram__bytes.sum"}, 1, {}};
  std::string refusal_;
  std::vector<std::string> made_for_;
  Simulation simulation_;
};

TEST_F(CountingTest, ThatNobodyWantsNeverStarts) {
  CounterCollector counting = make(false);
  EXPECT_TRUE(counting.has_started());
  EXPECT_FALSE(counting.active());
  counting.start();
  EXPECT_FALSE(count(counting, 1));
  EXPECT_THAT(counting.take(true), IsEmpty());
  EXPECT_THAT(counting.problem(), IsEmpty());
  EXPECT_EQ(simulation_.sessions, 0);
}

TEST_F(CountingTest, StartsOnceWithTheMetricsThatCanBeHad) {
  choice_.warnings = {"one is left out"};
  CounterCollector counting = make();
  EXPECT_TRUE(counting.active());
  EXPECT_FALSE(counting.has_started());
  EXPECT_FALSE(count(counting, 1)) << "nothing is counted before the start";
  counting.start();
  counting.start();
  EXPECT_TRUE(counting.has_started());
  EXPECT_EQ(simulation_.sessions, 1);
  EXPECT_THAT(made_for_, ElementsAre("dram__bytes.sum"));
  EXPECT_THAT(counting.take_warnings(), ElementsAre("one is left out"));
  EXPECT_THAT(counting.take_warnings(), IsEmpty()) << "each warning is given once";
}

TEST_F(CountingTest, GivesReadingsAsTheirSessionCloses) {
  CounterCollector counting = make();
  counting.start();
  EXPECT_TRUE(count(counting, 7));
  counting.set_expected_time_of_last(100.0);
  EXPECT_TRUE(count(counting, 8));
  EXPECT_THAT(counting.take(false), IsEmpty());
  EXPECT_THAT(ids(counting.take(true)), ElementsAre(7, 8));
  EXPECT_THAT(counting.take(true), IsEmpty());
  EXPECT_TRUE(count(counting, 9)) << "the next launch opens another session";
  EXPECT_EQ(simulation_.sessions, 2);
  counting.pause();
  EXPECT_THAT(ids(counting.take(false)), ElementsAre(9));
}

TEST_F(CountingTest, WithoutAnyMetricSaysSoAndCountsNothing) {
  choice_.metrics.clear();
  CounterCollector counting = make();
  counting.start();
  EXPECT_FALSE(counting.active());
  EXPECT_FALSE(count(counting, 1));
  EXPECT_THAT(counting.problem(), HasSubstr("\"GH100\" has none of the metrics"));
  EXPECT_THAT(counting.take_warnings(), ElementsAre(counting.problem()));
}

TEST_F(CountingTest, GoesOnWithoutWhereTheProfilerIsRefused) {
  refusal_ = "no permission";
  CounterCollector counting = make();
  counting.start();
  EXPECT_FALSE(counting.active());
  EXPECT_EQ(counting.problem(), "no hardware counters: no permission");
  counting.pause();
  counting.abandon();
  EXPECT_THAT(counting.take(true), IsEmpty());
}

TEST_F(CountingTest, EndsWhereTheProfilerFailsAndKeepsWhatWasRead) {
  if (tests::kAddressSanitizer)
    GTEST_SKIP() << "the error's text comes from CUPTI, which the address sanitizer does not support";
  simulation_.fails_at_stop = 2;
  CounterCollector counting = make();
  counting.start();
  for (std::uint64_t id = 0; id < 3; ++id) EXPECT_TRUE(count(counting, id));  // The first batch is closed.
  EXPECT_TRUE(count(counting, 3));
  EXPECT_TRUE(count(counting, 4));
  EXPECT_FALSE(count(counting, 5)) << "the second batch cannot be closed";
  EXPECT_THAT(counting.problem(), HasSubstr("no hardware counters any more"));
  EXPECT_FALSE(counting.active());
  EXPECT_FALSE(count(counting, 6));
  EXPECT_THAT(ids(counting.take(true)), ElementsAre(0, 1, 2));
}

TEST_F(CountingTest, EndsWhereClosingFails) {
  if (tests::kAddressSanitizer)
    GTEST_SKIP() << "the error's text comes from CUPTI, which the address sanitizer does not support";
  simulation_.fails_at_stop = 1;
  CounterCollector counting = make();
  counting.start();
  EXPECT_TRUE(count(counting, 1));
  counting.pause();
  EXPECT_FALSE(counting.active());
  EXPECT_THAT(counting.take_warnings(), ElementsAre(counting.problem()));
}

TEST_F(CountingTest, AfterTheContextWasLostMakesNoFurtherCalls) {
  CounterCollector counting = make();
  counting.start();
  EXPECT_TRUE(count(counting, 1));
  simulation_.log.clear();
  counting.abandon();
  count(counting, 2);
  EXPECT_THAT(counting.take(true), IsEmpty());
  EXPECT_EQ(simulation_.log, "!");
}

}  // namespace
}  // namespace warptune::profiling::counters
