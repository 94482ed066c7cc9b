#include "profiling/timing/gpu_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "profiling/driver/cuda_driver.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::timing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kOurs = 42;

GpuSnapshot with_processes(const std::vector<std::uint64_t>& pids) {
  GpuSnapshot snapshot;
  snapshot.processes.emplace();
  for (const std::uint64_t pid : pids) snapshot.processes->push_back({pid, std::nullopt});
  return snapshot;
}

GpuSnapshot with_clock(std::int64_t mhz, std::uint64_t reasons) {
  GpuSnapshot snapshot;
  snapshot.reading.sm_clock_mhz = mhz;
  snapshot.reading.throttle_reasons = reasons;
  return snapshot;
}

TEST(WatchRules, SaysNothingOfAQuietGpuNorOfAnUnknownOne) {
  for (const GpuSnapshot& quiet : {with_processes({}), with_clock(1980, 0x3), GpuSnapshot{}}) {
    GpuWatchRules rules(kOurs);
    EXPECT_THAT(rules.set_up(quiet), IsEmpty());
    EXPECT_THAT(rules.look(quiet), IsEmpty());
  }
}

TEST(WatchRules, NamesOtherProcessesAtSetUpOnce) {
  GpuWatchRules rules(kOurs);
  GpuSnapshot before = with_processes({7});
  before.processes->front().bytes = 300U << 20U;
  before.utilisation_percent = 87;
  EXPECT_THAT(rules.set_up(before),
              ElementsAre(AllOf(HasSubstr("another process computes"), HasSubstr("pid 7 with 300 MiB"),
                                HasSubstr("87 % busy"))));
  EXPECT_THAT(rules.look(with_processes({7, kOurs})), IsEmpty());
  EXPECT_THAT(rules.look(with_processes({7, 8, 9, kOurs})),
              ElementsAre(HasSubstr("2 other processes compute on this GPU (pid 8, pid 9)")));
  EXPECT_THAT(rules.look(with_processes({7, 8, 9, kOurs})), IsEmpty());
}

TEST(WatchRules, ABusyGpuWithNobodyOnItIsSaidButBlamesNobody) {
  GpuWatchRules rules(kOurs);
  GpuSnapshot before = with_processes({});
  before.utilisation_percent = 35;
  EXPECT_THAT(rules.set_up(before),
              ElementsAre(AllOf(HasSubstr("35 % busy"), HasSubstr("cannot be seen"), Not(HasSubstr("pid")))));
}

TEST(WatchRules, OurOwnLoadIsNoneOfOthers) {
  GpuWatchRules rules(kOurs);
  rules.set_up(with_processes({}));
  GpuSnapshot now = with_processes({kOurs});
  now.utilisation_percent = 100;
  EXPECT_THAT(rules.look(now), IsEmpty());
}

TEST(WatchRules, TakesTheFirstThatJoinsForUsWherePidsAreTheHosts) {
  GpuWatchRules rules(kOurs);
  EXPECT_EQ(rules.set_up(with_processes({5000})).size(), 1U);
  EXPECT_THAT(rules.look(with_processes({5000, 31337})), IsEmpty());
  EXPECT_THAT(rules.look(with_processes({5000, 31337, 31400})), ElementsAre(HasSubstr("pid 31400")));
}

TEST(WatchRules, NobodyIsTakenForUsWhereOurPidShows) {
  GpuWatchRules rules(kOurs);
  rules.set_up(with_processes({}));
  EXPECT_THAT(rules.look(with_processes({9, kOurs})), ElementsAre(HasSubstr("pid 9")));
}

TEST(WatchRules, TheProgramThatStartedTheWorkerIsNoOtherProcess) {
  constexpr std::uint64_t kParent = 41;  // A program in Python may hold memory before and during a session.
  GpuWatchRules rules(kOurs, kParent);
  EXPECT_THAT(rules.set_up(with_processes({kParent})), IsEmpty());
  EXPECT_THAT(rules.look(with_processes({kParent, kOurs})), IsEmpty());
  EXPECT_THAT(rules.look(with_processes({kParent, kOurs, 9})), ElementsAre(HasSubstr("pid 9")));
  GpuWatchRules later(kOurs, kParent);
  later.set_up(with_processes({}));
  EXPECT_THAT(later.look(with_processes({kOurs, kParent})), IsEmpty());
}

TEST(WatchRules, SaysEachThrottleReasonOnceWithTheClock) {
  GpuWatchRules rules(kOurs);
  EXPECT_THAT(rules.look(with_clock(1980, 0x1)), IsEmpty());
  EXPECT_THAT(rules.look(with_clock(1305, 0x4)),
              ElementsAre(AllOf(HasSubstr("throttled (power cap)"), HasSubstr("1305 MHz"))));
  EXPECT_THAT(rules.look(with_clock(1290, 0x4)), IsEmpty());
  EXPECT_THAT(rules.look(with_clock(1980, 0x0)), IsEmpty());
  EXPECT_THAT(rules.look(with_clock(1275, 0x4)), IsEmpty());
  EXPECT_THAT(rules.look(with_clock(900, 0x44)), ElementsAre(HasSubstr("power cap, thermal (hardware)")));
}

TEST(WatchRules, KeepsTheClocksRangeOfWhenTheGpuWorked) {
  GpuWatchRules rules(kOurs);
  EXPECT_EQ(rules.sm_clock_mhz().high_mhz, 0);
  rules.set_up(with_clock(345, 0x1));
  rules.look(with_clock(0, 0x0));
  rules.look(with_clock(1980, 0x0));
  rules.look(with_clock(1305, 0x4));
  rules.look(with_clock(1500, 0x4));
  EXPECT_EQ(rules.sm_clock_mhz().low_mhz, 1305);
  EXPECT_EQ(rules.sm_clock_mhz().high_mhz, 1980);
}

TEST(Watch, LooksAtMostOnceASecond) {
  GpuWatch::Clock::time_point now{};
  int looks = 0;
  GpuWatch watch(
      [&] {
        ++looks;
        return with_clock(1305, looks >= 2 ? 0x4 : 0x0);
      },
      GpuWatchRules(kOurs), [&] { return now; });
  EXPECT_EQ(looks, 1);
  now += std::chrono::milliseconds(999);
  EXPECT_THAT(watch.look(), IsEmpty());
  EXPECT_EQ(looks, 1);
  now += std::chrono::milliseconds(1);
  EXPECT_EQ(watch.look().size(), 1U);
  EXPECT_THAT(watch.look(), IsEmpty());
  EXPECT_EQ(looks, 2);
}

TEST(Watch, TellsWhatItSawAtFirstWithTheFirstCall) {
  GpuWatch watch([] { return with_processes({7}); }, GpuWatchRules(kOurs),
                 [] { return GpuWatch::Clock::time_point{}; });
  EXPECT_THAT(watch.look(), ElementsAre(HasSubstr("pid 7")));
  EXPECT_THAT(watch.look(), IsEmpty());
}

TEST(Watch, SaysNothingWithoutNvml) {
  GpuWatch watch(driver::NvmlDevice("0000:01:00.0", "/nowhere/libnvidia-ml.so.1"));
  EXPECT_THAT(watch.look(), IsEmpty());
}

using GpuWatchTest = GpuTest;

TEST_F(GpuWatchTest, DoesNotTakeThisProcessForAnother) {
  CUdevice device = 0;
  WARPTUNE_CUDA(cuDeviceGet(&device, 0));
  char bus[32] = {};
  WARPTUNE_CUDA(cuDeviceGetPCIBusId(bus, sizeof(bus), device));
  GpuWatch watch{driver::NvmlDevice(bus)};
  for (const std::string& warning : watch.look()) std::cout << "at first: " << warning << '\n';
  const driver::Context context(0);
  const driver::NvmlDevice nvml(bus);
  const auto started = GpuWatch::Clock::now();
  take_snapshot(nvml);
  const std::chrono::duration<double, std::milli> took = GpuWatch::Clock::now() - started;
  std::cout << "one look takes " << took.count() << " ms\n";
  std::this_thread::sleep_for(GpuWatch::kPeriod);
  for (const std::string& warning : watch.look()) EXPECT_THAT(warning, Not(HasSubstr("process")));
}

}  // namespace
}  // namespace warptune::profiling::timing
