#include "profiling/timing/energy_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iostream>

#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::timing {
namespace {

/// A simulated GPU, counter and host. The GPU has one power while idle and another while it works through
/// chunks of launches. The counter moves in ticks. The host takes time for its calls.
class SimulatedSource : public EnergySource {
 public:
  double idle_w = 100.0;
  std::function<double(double)> busy_w = [](double) { return 600.0; };
  double launch_s = 50e-6;      ///< One call of `once` on the GPU.
  double host_launch_s = 2e-6;  ///< One call on the host.
  double tick_s = 0.09;
  double call_s = 0.3e-3;  ///< Reading the counter.
  bool has_counter = true;
  int calls_of_once = 0;

  double now_s() override { return now_s_; }
  std::optional<std::uint64_t> energy_mj() override {
    advance(0.5 * call_s);
    const double at_tick_s = std::floor(now_s_ / tick_s) * tick_s;
    const auto energy = static_cast<std::uint64_t>(1e3 * energy_at(at_tick_s));
    advance(0.5 * call_s);
    if (!has_counter) return std::nullopt;
    return energy;
  }
  std::int64_t sm_clock_mhz() override { return now_s_ < 0.2 ? 1980 : 1305; }
  void enqueue(const std::function<void()>& once, std::int64_t launches) override {
    for (std::int64_t i = 0; i < launches; ++i) once();
    calls_of_once += static_cast<int>(launches);
    const double free_s = chunks_.empty() ? 0.0 : chunks_.back().end_s;
    const double begin_s = std::max(now_s_, free_s);
    advance(static_cast<double>(launches) * host_launch_s);
    const double end_s =
        // The GPU cannot be faster than its host.
        std::max(begin_s + static_cast<double>(launches) * launch_s, now_s_);
    chunks_.push_back({begin_s, end_s});
  }
  std::vector<double> take_ended() override {
    std::vector<double> ended;
    for (; taken_ < chunks_.size() && chunks_[taken_].end_s <= now_s_; ++taken_)
      ended.push_back(chunks_[taken_].end_s);
    return ended;
  }
  void pause() override { advance(0.15e-3); }

 private:
  struct Chunk {
    double begin_s;
    double end_s;
  };
  void advance(double seconds) { now_s_ += seconds; }
  bool is_busy(double time_s) const {
    return std::any_of(chunks_.begin(), chunks_.end(),
                       [&](const Chunk& chunk) { return chunk.begin_s <= time_s && time_s < chunk.end_s; });
  }
  /// Integrates the power in steps of 20 us, beginning where the last call ended.
  double energy_at(double time_s) {
    constexpr double kStep = 20e-6;
    for (; integrated_s_ + kStep <= time_s; integrated_s_ += kStep) {
      joules_ += kStep * (is_busy(integrated_s_ + 0.5 * kStep) ? busy_w(integrated_s_) : idle_w);
    }
    return joules_;
  }

  double now_s_ = 0.0137;
  std::deque<Chunk> chunks_;
  std::size_t taken_ = 0;
  double integrated_s_ = 0.0;
  double joules_ = 1000.0;
};

const auto kNothing = [] {};

TEST(EnergyMeter, FindsTheEnergyOfALaunch) {
  for (const double launch_s : {5e-6, 50e-6, 3e-3, 20e-3, 0.4}) {
    SimulatedSource source;
    source.launch_s = launch_s;
    const auto run = run_for_energy(source, kNothing, launch_s * 1e9, {});
    ASSERT_TRUE(run) << launch_s;
    const EnergyReading reading = reading_of(*run, launch_s * 1e9);
    EXPECT_NEAR(reading.joules_per_launch, 600.0 * launch_s, 0.01 * 600.0 * launch_s) << launch_s;
    EXPECT_NEAR(reading.watts, 600.0, 6.0) << launch_s;
    EXPECT_GE(reading.seconds, 0.5) << launch_s;
    EXPECT_NEAR(reading.busy_share, 1.0, 0.01) << launch_s;
    EXPECT_LT(reading.relative_error, 0.02) << launch_s;
    EXPECT_EQ(reading.sm_clock_mhz, 1305.0) << launch_s;
    EXPECT_FALSE(reading.preparation_subtracted);
  }
}

TEST(EnergyMeter, TakesLittleLongerThanAskedFor) {
  SimulatedSource source;
  ASSERT_TRUE(run_for_energy(source, kNothing, source.launch_s * 1e9, {}));
  EXPECT_LT(source.now_s(), 0.5 + 3 * source.tick_s);
}

TEST(EnergyMeter, SaysWhereTheHostWasSlowerThanTheGpu) {
  SimulatedSource source;
  source.launch_s = 1e-6;
  const auto run = run_for_energy(source, kNothing, 1e3, {});
  ASSERT_TRUE(run);
  EXPECT_LT(reading_of(*run, 1e3).busy_share, 0.6);
}

TEST(EnergyMeter, GivesALargerErrorWhereThePowerDrifts) {
  SimulatedSource source;
  source.busy_w = [](double time_s) { return 400.0 + 400.0 * time_s; };
  const auto run = run_for_energy(source, kNothing, source.launch_s * 1e9, {});
  ASSERT_TRUE(run);
  EXPECT_GT(run->window.relative_error, 0.05);
}

TEST(EnergyMeter, ReadsNothingWithoutACounterOrWithOneThatStands) {
  SimulatedSource without;
  without.has_counter = false;
  EXPECT_FALSE(run_for_energy(without, kNothing, 50e3, {}));
  EXPECT_EQ(without.calls_of_once, 0);
  SimulatedSource standing;
  standing.tick_s = 1e9;
  EXPECT_FALSE(run_for_energy(standing, kNothing, 50e3, {}));
  EXPECT_LT(standing.now_s(), 4.0);
}

TEST(EnergyMeter, TakesThePreparationOff) {
  // 30 us at 300 W and then 70 us at 700 W are 580 W on average.
  SimulatedSource prepared;
  prepared.launch_s = 100e-6;
  prepared.busy_w = [](double) { return 580.0; };
  SimulatedSource preparing;
  preparing.launch_s = 30e-6;
  preparing.busy_w = [](double) { return 300.0; };
  const auto both = run_for_energy(prepared, kNothing, 100e3, {});
  const auto alone = run_for_energy(preparing, kNothing, 30e3, {});
  ASSERT_TRUE(both && alone);
  const auto reading = difference_of(*both, *alone, 70e3);
  ASSERT_TRUE(reading);
  EXPECT_NEAR(reading->joules_per_launch, 700.0 * 70e-6, 0.02 * 700.0 * 70e-6);
  EXPECT_NEAR(reading->watts, 700.0, 14.0);
  EXPECT_NEAR(reading->busy_share, 1.0, 0.02);
  EXPECT_GT(reading->relative_error, both->window.relative_error);
  EXPECT_TRUE(reading->preparation_subtracted);
  EXPECT_FALSE(difference_of(*alone, *both, 70e3)) << "the difference is negative";
}

TEST(EnergyMeter, ReadsNothingWithoutNvml) {
  EnergyMeter meter(driver::NvmlDevice("0000:01:00.0", "/nowhere/libnvidia-ml.so.1"), nullptr);
  EXPECT_FALSE(meter.available());
  EXPECT_FALSE(meter.measure(
      {}, [] { FAIL() << "launched"; }, 1e3, 0.0));
}

using GpuEnergyTest = GpuTest;

TEST_F(GpuEnergyTest, ACopyTakesPlausibleEnergyAndTwiceTheBytesTwiceAsMuch) {
  const driver::Context context(0);
  char bus[32] = {};
  WARPTUNE_CUDA(cuDeviceGetPCIBusId(bus, sizeof(bus), context.device()));
  const driver::Stream stream = driver::make_stream();
  EnergyMeter meter{driver::NvmlDevice(bus), stream.get()};
  if (!meter.available()) GTEST_SKIP() << "the GPU has no energy counter";
  constexpr std::size_t kBytes = std::size_t{256} << 20U;
  const driver::DeviceMemory from = driver::allocate(2 * kBytes, "copied");
  const driver::DeviceMemory to = driver::allocate(2 * kBytes, "copied to");
  const auto copy = [&](std::size_t bytes) {
    return [&, bytes] { WARPTUNE_CUDA(cuMemcpyDtoDAsync(to.get(), from.get(), bytes, stream.get())); };
  };
  const double launch_ns = 2.0 * static_cast<double>(kBytes) / 4e12 * 1e9;
  const auto print = [](const char* what, const EnergyReading& reading) {
    std::cout << what << ": " << reading.joules_per_launch * 1e3 << " mJ, " << reading.watts << " W, +-"
              << 100.0 * reading.relative_error << " %, " << reading.launches << " launches in "
              << reading.seconds << " s, SM " << reading.sm_clock_mhz << " MHz, busy " << reading.busy_share
              << '\n';
  };
  const auto once = meter.measure({}, copy(kBytes), launch_ns, 0.0);
  ASSERT_TRUE(once);
  print("256 MiB", *once);
  EXPECT_GT(once->watts, 50.0);
  EXPECT_LT(once->watts, 1500.0);
  EXPECT_LT(once->relative_error, 0.1);
  const auto twice = meter.measure({}, copy(2 * kBytes), 2.0 * launch_ns, 0.0);
  ASSERT_TRUE(twice);
  print("512 MiB", *twice);
  EXPECT_NEAR(twice->joules_per_launch / once->joules_per_launch, 2.0, 0.2);
  const auto prepared = meter.measure(copy(kBytes), copy(kBytes), launch_ns, launch_ns);
  ASSERT_TRUE(prepared);
  print("256 MiB after another", *prepared);
  EXPECT_NEAR(prepared->joules_per_launch / once->joules_per_launch, 1.0, 0.2);
}

}  // namespace
}  // namespace warptune::profiling::timing
