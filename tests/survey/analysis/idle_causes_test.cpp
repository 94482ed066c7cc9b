#include "survey/analysis/idle_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "survey/analysis/survey_analysis.h"
#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis {
namespace {

using records::CallKind;
using records::Interval;
using records::Survey;

// A survey with one kernel at 0 to 100 and one at 200 to 300. Two threads use the GPU.
class IdleCauses : public testing::Test {
 protected:
  IdleCauses() {
    survey_.names = {"kernel", "call"};
    survey_.devices.resize(1);
    survey_.processes.resize(1);
    survey_.streams.resize(1);
    survey_.shapes.resize(1);
    survey_.run.window = {0, 300};
    kernel({0, 100}, call({-20, -10}, 1, CallKind::kLaunch));
    kernel({200, 300}, call({-10, -5}, 2, CallKind::kLaunch));
  }

  records::Index call(Interval time, std::uint32_t thread, CallKind kind) {
    records::Call call;
    call.time = time;
    call.thread = thread;
    call.kind = kind;
    call.name = 1;
    survey_.calls.push_back(call);
    return static_cast<records::Index>(survey_.calls.size() - 1);
  }

  void kernel(Interval time, records::Index call) {
    records::Launch launch;
    launch.time = time;
    launch.call = call;
    survey_.launches.push_back(launch);
  }

  // The idle time of each cause that has any.
  std::map<std::string, std::int64_t> causes() const {
    std::map<std::string, std::int64_t> named;
    const DeviceTime time = analyse(survey_).devices.at(0);
    EXPECT_EQ(time.idle, 100);
    for (std::size_t i = 0; i < kIdleCauses; ++i) {
      if (time.idle_by_cause[i] > 0)
        named[std::string(to_string(static_cast<IdleCause>(i)))] = time.idle_by_cause[i];
    }
    return named;
  }

  using Expected = std::map<std::string, std::int64_t>;
  Survey survey_;
};

TEST_F(IdleCauses, TheHostIsTheCauseWhereNoThreadCallsCuda) {
  EXPECT_EQ(causes(), (Expected{{"host", 100}}));
}

TEST_F(IdleCauses, AWaitCountsOnlyWhileAllLivingThreadsWait) {
  call({90, 160}, 1, CallKind::kWait);
  EXPECT_EQ(causes(), (Expected{{"waiting", 60}, {"host", 40}})) << "thread 2 has made its last call";
  call({130, 210}, 2, CallKind::kWait);
  EXPECT_EQ(causes(), (Expected{{"waiting", 70}, {"host", 30}}))
      << "thread 2 works on something else until 130";
}

TEST_F(IdleCauses, AThreadThatIsAboutToGiveWorkCountsBeforeTheOthers) {
  call({100, 200}, 1, CallKind::kModuleLoad);
  call({120, 180}, 2, CallKind::kAllocation);
  call({140, 160}, 3, CallKind::kLaunch);
  EXPECT_EQ(causes(), (Expected{{"loading", 40}, {"allocating", 60}})) << "thread 3 gives this GPU no work";
  survey_.launches.front().call = static_cast<records::Index>(survey_.calls.size() - 1);
  call({150, 170}, 2, CallKind::kCopy);
  EXPECT_EQ(causes(), (Expected{{"allocating", 30}, {"launching", 20}, {"copying", 10}, {"host", 40}}))
      << "thread 1 no longer gives work to this GPU";
}

TEST_F(IdleCauses, AllThreadsOfTheProcessCountWhereNoCallIsKnown) {
  for (records::Launch& launch : survey_.launches) launch.call = records::kNone;
  call({100, 150}, 77, CallKind::kFill);
  EXPECT_EQ(causes(), (Expected{{"launching", 50}, {"host", 50}}));
}

TEST(GapCosts, EachMomentBelongsToOneKind) {
  const auto gap = [](std::int64_t host, std::int64_t launching, std::int64_t allocating) {
    Gap made;
    made.by_cause[static_cast<std::size_t>(IdleCause::kHost)] = host;
    made.by_cause[static_cast<std::size_t>(IdleCause::kLaunching)] = launching;
    made.by_cause[static_cast<std::size_t>(IdleCause::kAllocating)] = allocating;
    return made;
  };
  Gap waits = gap(1'000, 4'000, 0);
  waits.waits = true;
  Gap works = gap(kLongHostWork, 3'000, 0);
  Gap allocates = gap(2'000, 3'000, 90'000);
  allocates.allocates = allocates.waits = true;
  Gap loads = gap(800'000, 3'000, 10'000);
  loads.loads = loads.allocates = true;
  const GapCosts costs = gap_costs({waits, works, allocates, loads, gap(500, 2'500, 0)});
  EXPECT_EQ(costs.waiting.duration, 5'000);
  EXPECT_EQ(costs.host.duration, kLongHostWork);
  EXPECT_EQ(costs.allocating.duration, 95'000);
  EXPECT_EQ(costs.loading.duration, 813'000);
  EXPECT_EQ(costs.launching.duration, 6'000) << "the launch after the host's work, and the last gap";
  EXPECT_EQ(costs.launching.count, 2);
  EXPECT_EQ(costs.launching.longest, 3'000);
}

TEST(Gaps, TheTimeBeforeTheFirstAndAfterTheLastActivityIsNoGap) {
  SurveyBuilder program;
  program.host(kMillisecond);
  program.launch({"k", 20 * kMicrosecond});
  program.wait();
  program.host(100 * kMicrosecond);
  program.launch({"k", 20 * kMicrosecond});
  program.wait();
  program.host(kMillisecond);
  const Survey survey = program.survey();
  const DeviceTimeline timeline = device_timelines(survey, observed_time(survey)).at(0);
  const auto calls = calls_for_device(survey, timeline);
  const std::vector<Gap> gaps = gaps_of(survey, timeline, calls, idle_by_cause(survey, timeline, calls), 0);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_TRUE(gaps[0].waits);
  EXPECT_FALSE(gaps[0].allocates);
  EXPECT_EQ(gaps[0].time.duration(), 100 * kMicrosecond + 2 * SurveyBuilder::kLatency + SurveyBuilder::kCall);
  EXPECT_EQ(gaps[0].by_cause[static_cast<std::size_t>(IdleCause::kHost)], 100 * kMicrosecond);
}

}  // namespace
}  // namespace warptune::survey::analysis
