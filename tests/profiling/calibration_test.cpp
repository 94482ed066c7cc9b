#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>

#include "profiling/driver/cuda_driver.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

using driver::check_cuda;
using driver::cuda;
using model::Measurement;

/// The true times of launches of the calibration kernel, by the GPU's own clock. A time begins with the first
/// block's first instruction and ends with the last block's last reading of the clock.
struct TrueTime {
  std::optional<model::TimeSummary> time;
  /// The greatest common divisor of all differences between readings.
  std::uint64_t resolution_ns = 0;
};

class GpuCalibration : public GpuTest {
 protected:
  /// Launches the recording variant without the runner, in the runner's context.
  static TrueTime record(const RunnerUnderTest& under_test, std::int64_t ns) {
    constexpr int kLaunches = 15;
    const auto compiled = under_test.compile(with(under_test.instance(), {{"RECORD", std::int64_t{1}}}));
    driver::Module module;
    WARPTUNE_CUDA(cuModuleLoadData(module.out(), compiled.cubin.data()));
    CUfunction function = nullptr;
    WARPTUNE_CUDA(cuModuleGetFunction(&function, module.get(),
                                      compiled.find_entry("calibration").lowered_name.c_str()));
    const auto blocks = static_cast<std::size_t>(enumerate_gpus().gpus.at(0).sm_count);
    std::vector<std::uint64_t> times(2 * blocks);
    const driver::DeviceMemory memory = driver::allocate(times.size() * sizeof(std::uint64_t), "times");
    const driver::Stream stream = driver::make_stream();
    CUdeviceptr pointer = memory.get();
    void* parameters[] = {&pointer, &ns};
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(blocks);
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 32;
    config.hStream = stream.get();
    TrueTime found;
    std::vector<double> samples_ns;
    for (int i = 0; i < kLaunches; ++i) {
      WARPTUNE_CUDA(cuLaunchKernelEx(&config, function, parameters, nullptr));
      WARPTUNE_CUDA(cuStreamSynchronize(stream.get()));
      WARPTUNE_CUDA(cuMemcpyDtoH(times.data(), memory.get(), times.size() * sizeof(std::uint64_t)));
      std::uint64_t first = times[0];
      std::uint64_t last = times[1];
      for (std::size_t block = 0; block < blocks; ++block) {
        first = std::min(first, times[2 * block]);
        last = std::max(last, times[2 * block + 1]);
      }
      for (const std::uint64_t time : times)
        found.resolution_ns = std::gcd(found.resolution_ns, time - first);
      samples_ns.push_back(static_cast<double>(last - first));
    }
    found.time = model::summarise(samples_ns);
    return found;
  }
};

TEST_F(GpuCalibration, MeasuredTimesAreTrueWithinOnePercentOr300Nanoseconds) {
  std::cout << fmt::format("{:>10} {:>26} {:>8} {:>26} {:>8} {:>9} {:>8}\n", "asked ns", "true ns (95 %)",
                           "clock", "measured ns (95 %)", "samples", "off ns", "off %");
  const auto interval = [](const model::TimeSummary& time) {
    return fmt::format("{:.0f} ({:.0f} to {:.0f})", time.median_ns, time.low_ns.value(),
                       time.high_ns.value());
  };
  for (const std::int64_t ns : {5000, 10000, 20000, 50000, 100000, 1000000, 10000000, 50000000}) {
    RunnerUnderTest under_test("calibration", {{"NS", ns}}, without_counters());
    const Measurement measurement = under_test.evaluate({});
    EXPECT_EQ(measurement.status, model::Status::kMeasured) << measurement.reason;
    const TrueTime truth = record(under_test, ns);
    const double off_ns = measurement.time->median_ns - truth.time->median_ns;
    std::cout << fmt::format("{:>10} {:>26} {:>8} {:>26} {:>8} {:>9.0f} {:>8.2f}\n", ns,
                             interval(*truth.time), truth.resolution_ns, interval(*measurement.time),
                             measurement.samples_ns.size(), off_ns, 100.0 * off_ns / truth.time->median_ns)
              << std::flush;
    EXPECT_GE(truth.time->low_ns.value(), static_cast<double>(ns))
        << "the kernel waited less than it was told";
    EXPECT_NEAR(measurement.time->median_ns, truth.time->median_ns,
                std::max(300.0, 0.01 * truth.time->median_ns))
        << ns;
  }
}

}  // namespace
}  // namespace warptune::profiling
