#include "profiling/roofs/roofs.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "profiling/roofs/host_rates.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::roofs {
namespace {

using ::testing::IsEmpty;

class GpuRoofsTest : public GpuTest {};

// Dense f16 products with f32 sums per SM and clock, counted as 2 operations each. They come from the white
// papers of the architectures. 0 means unknown.
double tensor_flops_per_clock(const model::GpuDescription& gpu) {
  static const std::map<int, double> known = {{75, 1024}, {80, 2048}, {86, 512}, {89, 1024}, {90, 4096}};
  const auto found = known.find(gpu.compute_major * 10 + gpu.compute_minor);
  return found == known.end() ? 0.0 : found->second;
}

TEST_F(GpuRoofsTest, LieWithinWhatTheHardwareCanDo) {
  const model::GpuDescription gpu = enumerate_gpus().gpus.at(0);
  const RoofMeasurements measured = measure_roofs(gpu, 0, {});
  EXPECT_THAT(measured.problems, IsEmpty());
  for (const model::RoofReading& reading : measured.readings) {
    std::cout << reading.name << " " << reading.value << " +- " << 100.0 * reading.relative_spread << " % at "
              << reading.sm_clock_mhz.value_or(0.0) << " MHz\n";
    // The host's part of copies and launches varies with what else its CPUs do.
    if (model::find_roof(reading.name) != nullptr) {
      EXPECT_LT(reading.relative_spread, 0.05) << reading.name;
    }
    EXPECT_GT(reading.driver_version, 0);
  }
  for (const HostRate& rate : host_rates()) {
    const bool is_launch = std::string(rate.name) == "launch";
    EXPECT_TRUE(std::any_of(measured.readings.begin(), measured.readings.end(), [&](const auto& reading) {
      return reading.name == rate.name && reading.value > (is_launch ? 2e-7 : 1e9) &&
             reading.value < (is_launch ? 1e-4 : 1e12);
    })) << rate.name;
  }
  const model::Roofs roofs = model::roofs_of(measured.readings, gpu);
  const auto bandwidth = static_cast<double>(gpu.memory_bandwidth_bytes_per_s);
  EXPECT_GT(roofs.copy_bytes_per_s.value(), 0.7 * bandwidth);
  EXPECT_LT(roofs.copy_bytes_per_s.value(), bandwidth);
  EXPECT_GT(roofs.read_bytes_per_s.value(), 0.8 * bandwidth);
  EXPECT_LT(roofs.read_bytes_per_s.value(), bandwidth);
  EXPECT_GT(roofs.fp32_measured_flops_per_s.value(), 0.8 * roofs.fp32_theory_flops_per_s.value());
  EXPECT_LT(roofs.fp32_measured_flops_per_s.value(), 1.02 * roofs.fp32_theory_flops_per_s.value());
  EXPECT_GT(roofs.fp64_flops_per_s.value(), roofs.fp32_theory_flops_per_s.value() / 70);
  EXPECT_LT(roofs.fp64_flops_per_s.value(), roofs.fp32_theory_flops_per_s.value());
  const double tensor =
      tensor_flops_per_clock(gpu) * gpu.sm_count * static_cast<double>(gpu.max_clock_khz) * 1e3;
  if (tensor > 0.0) {
    EXPECT_GT(roofs.tensor_flops_per_s.value(), 0.5 * tensor);
    EXPECT_LT(roofs.tensor_flops_per_s.value(), 1.02 * tensor);
  }
}

TEST_F(GpuRoofsTest, OfARunnerThatKnowsThemAreNotMeasuredAgain) {
  RunnerOptions options = without_counters();
  options.roofs = {{"copy", 1.0, 0.0, 0.0, 0, 0}};
  RunnerUnderTest copy("copy", {}, options);
  EXPECT_EQ(copy.runner().roofs().copy_bytes_per_s, 1.0);
  EXPECT_EQ(copy.runner().roofs().read_bytes_per_s, std::nullopt);
  ASSERT_EQ(copy.runner().roof_readings().size(), 1U);
}

}  // namespace
}  // namespace warptune::profiling::roofs
