#include "profiling/kernel_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "base/error.h"
#include "profiling/driver/cuda_driver.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

using model::Measurement;
using model::Status;
using ::testing::HasSubstr;

TEST(TestKernel, CompilesInItsDefaultConfiguration) {
  for (const std::string& name : test_kernels()) {
    const kernel_templates::KernelInstance instance(load_test_kernel(name), {}, model::fictional_gpu());
    const auto request = instance.compile_request(instance.default_configuration());
    ASSERT_TRUE(request) << name << ": " << request.error().reason;
    const auto compiled = kernel_templates::compile(*request);
    if (!compiled && model::is_environment_failure(compiled.error())) continue;  // There is no linker.
    EXPECT_TRUE(compiled) << name << ": " << compiled.error().reason;
    if (!instance.has_reference()) continue;
    const auto reference_request = instance.reference_request();
    ASSERT_TRUE(reference_request) << name << ": " << reference_request.error().reason;
    const auto reference = kernel_templates::compile(*reference_request);
    EXPECT_TRUE(reference) << name << ": " << reference.error().reason;
  }
}

class GpuResourceTest : public GpuTest {
 protected:
  static Measurement run(const model::NamedValues& changes) {
    RunnerUnderTest resources("resources", {}, without_counters());
    return resources.evaluate(changes);
  }
};

TEST_F(GpuResourceTest, AreReadFromTheCode) {
  const Measurement measurement = run({});
  ASSERT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
  EXPECT_EQ(measurement.resources.threads_per_block, 256);
  EXPECT_EQ(measurement.resources.blocks, 256);
  EXPECT_EQ(measurement.resources.dynamic_shared_bytes, 1024);
  EXPECT_GT(measurement.resources.registers_per_thread, 0);
  EXPECT_EQ(measurement.resources.blocks_per_sm, enumerate_gpus().gpus[0].max_threads_per_sm / 256);
  EXPECT_DOUBLE_EQ(measurement.resources.theoretical_occupancy.value(), 1.0);
}

TEST_F(GpuResourceTest, SharedMemoryAbove48KiBIsOptedInto) {
  for (const std::int64_t shared : {65536, 102400}) {
    if (shared > enumerate_gpus().gpus[0].shared_bytes_per_block_optin) continue;
    const Measurement measurement = run({{"SHARED", shared}});
    EXPECT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
    EXPECT_LT(measurement.resources.theoretical_occupancy, 1.0);
  }
}

TEST_F(GpuResourceTest, TooMuchSharedMemoryIsScreened) {
  const Measurement measurement = run({{"SHARED", std::int64_t{1048576}}});
  EXPECT_EQ(measurement.status, Status::kLaunchInvalid);
  EXPECT_THAT(measurement.reason, HasSubstr("shared memory"));
}

TEST_F(GpuResourceTest, TooManyThreadsAreScreened) {
  const Measurement measurement = run({{"BLOCK", std::int64_t{2048}}});
  EXPECT_EQ(measurement.status, Status::kLaunchInvalid);
  EXPECT_THAT(measurement.reason, HasSubstr("threads"));
}

TEST_F(GpuResourceTest, MoreRegistersThanABlockCanHaveAreScreened) {
  const Measurement measurement = run({{"BLOCK", std::int64_t{1024}}, {"REGISTERS", std::int64_t{200}}});
  EXPECT_EQ(measurement.status, Status::kLaunchInvalid);
  EXPECT_THAT(measurement.reason, HasSubstr("registers per thread"));
}

TEST_F(GpuResourceTest, AnEntryWithMoreParametersThanArgumentsIsNotLaunched) {
  const Measurement measurement = run({{"PARAMETERS", std::int64_t{3}}});
  EXPECT_EQ(measurement.status, Status::kLaunchInvalid);
  EXPECT_THAT(measurement.reason, HasSubstr("the definition has 2 arguments"));
}

TEST_F(GpuResourceTest, TooLargeBuffersAreNamedWithTheirSizes) {
  // Each buffer takes 0.4 of the memory. Two of them fit, but the reference does not fit in addition.
  const std::int64_t elements = enumerate_gpus().gpus[0].memory_bytes / 10;
  try {
    RunnerUnderTest copy("copy", {{"N", elements}}, without_counters());
    FAIL() << "1.2 times the memory was allocated";
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("MiB are free"));
    EXPECT_THAT(error.what(), HasSubstr("b 2 x"));
  }
}

class GpuTimingTest : public GpuTest {
 protected:
  // The overhead of a launch as the event pair measures it: 2.8 us on an H200, within 0.05 us.
  static constexpr double kLaunchNs = 3500.0;
  static void expect_near(double measured_ns, double true_ns) {
    EXPECT_GE(measured_ns, true_ns);
    EXPECT_LE(measured_ns, true_ns * 1.02 + kLaunchNs);
  }
};

TEST_F(GpuTimingTest, TheCalibrationKernelTakesItsTime) {
  RunnerUnderTest spin("spin", {}, without_counters());
  EXPECT_TRUE(spin.runner().flushes());
  for (const std::int64_t wait_ns : {100000, 1000000}) {
    const Measurement measurement = spin.evaluate({{"WAIT_NS", wait_ns}});
    ASSERT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
    expect_near(measurement.time->median_ns, static_cast<double>(wait_ns));
    EXPECT_LE(measurement.time->low_ns.value(), measurement.time->median_ns);
    EXPECT_GE(measurement.time->high_ns.value(), measurement.time->median_ns);
    std::cout << wait_ns << " ns measured as " << measurement.time->median_ns << " ("
              << measurement.time->low_ns.value() << " to " << measurement.time->high_ns.value() << ", "
              << measurement.samples_ns.size() << " samples, " << measurement.measure_ms << " ms in total)\n";
  }
}

TEST_F(GpuTimingTest, LaunchesTheHopelessOnce) {
  RunnerUnderTest spin("spin", {}, without_counters());
  const Measurement cannot_win = spin.evaluate({{"WAIT_NS", std::int64_t{1000000}}}, 0, 100000.0);
  EXPECT_EQ(cannot_win.status, Status::kDropped);
  EXPECT_EQ(cannot_win.samples_ns.size(), 1U);
  EXPECT_GE(cannot_win.time->low_ns.value(), 100000.0);
  EXPECT_LE(cannot_win.time->low_ns.value(), cannot_win.time->median_ns);
  expect_near(cannot_win.time->median_ns, 1e6);
}

TEST_F(GpuTimingTest, SamplesAContenderToTheEnd) {
  RunnerUnderTest spin("spin", {}, without_counters());
  const Measurement contender = spin.evaluate({{"WAIT_NS", std::int64_t{100000}}}, 0, 100000.0);
  EXPECT_EQ(contender.status, Status::kMeasured);
  EXPECT_EQ(contender.samples_ns.size(), timing::RacingProtocol().max_samples);
}

TEST_F(GpuTimingTest, InterleavesFinalists) {
  RunnerUnderTest spin("spin", {}, without_counters());
  std::vector<kernel_templates::CompiledKernel> compiled;
  std::vector<KernelRunner::Finalist> finalists;
  for (const std::int64_t wait_ns : {1000000, 100000}) {
    const auto configuration = with(spin.instance(), {{"WAIT_NS", wait_ns}});
    compiled.push_back(spin.compile(configuration));
    finalists.push_back({configuration, nullptr});
  }
  for (std::size_t i = 0; i < finalists.size(); ++i) finalists[i].compiled = &compiled[i];
  const auto samples = spin.runner().time_interleaved(finalists, 7);
  ASSERT_EQ(samples.size(), 2U);
  ASSERT_EQ(samples[0].samples_ns.size(), 7U);
  ASSERT_EQ(samples[1].samples_ns.size(), 7U);
  expect_near(model::summarise(samples[0].samples_ns).value().median_ns, 1e6);
  expect_near(model::summarise(samples[1].samples_ns).value().median_ns, 1e5);
}

// Returns an external launch: the driver's copy of a number of bytes from one argument to another.
ExternalLaunch copy_of(std::size_t from, std::size_t to, std::size_t bytes) {
  return {[=](void* stream, const std::vector<std::uint64_t>& buffers) {
    using driver::cuda;
    WARPTUNE_CUDA(cuMemcpyDtoDAsync(buffers.at(to), buffers.at(from), bytes, static_cast<CUstream>(stream)));
  }};
}

TEST_F(GpuTimingTest, AnExternalLaunchIsVerifiedAndTimedAsAConfigurationIs) {
  RunnerUnderTest copy("copy", {}, without_counters());
  const auto configuration = copy.instance().default_configuration();
  const auto compiled = copy.compile(configuration);
  const std::size_t bytes = 4 * std::size_t{134217728};
  const ExternalLaunch whole = copy_of(0, 1, bytes);
  const ExternalLaunch half = copy_of(0, 1, bytes / 2);
  EXPECT_EQ(copy.runner().verify(whole), std::nullopt);
  EXPECT_THAT(copy.runner().verify(half).value_or("nothing"), HasSubstr("argument \"b\", element 67108864"));
  EXPECT_THAT(copy.runner().verify(copy_of(1, 0, bytes)).value_or("nothing"), HasSubstr("changed its input"));
  EXPECT_EQ(copy.runner().verify(whole), std::nullopt);  // The input is restored.
  const auto samples = copy.runner().time_interleaved({{configuration, &compiled}}, {whole, half}, 7);
  ASSERT_EQ(samples.size(), 3U);
  for (const auto& of_one : samples) ASSERT_EQ(of_one.samples_ns.size(), 7U);
  const double whole_ns = model::summarise(samples[1].samples_ns).value().median_ns;
  EXPECT_GT(model::summarise(samples[0].samples_ns).value().median_ns, 0.8 * whole_ns);
  EXPECT_LT(model::summarise(samples[0].samples_ns).value().median_ns, 1.5 * whole_ns);
  EXPECT_LT(model::summarise(samples[2].samples_ns).value().median_ns, 0.65 * whole_ns);
}

TEST_F(GpuTimingTest, ACopyKernelReachesTheCopyRoof) {
  RunnerOptions options = without_counters();
  options.roofs.clear();
  RunnerUnderTest copy("copy", {}, options);
  EXPECT_FALSE(copy.runner().flushes());
  const model::Roofs roofs = copy.runner().roofs();
  const Measurement measurement = copy.evaluate({});
  ASSERT_EQ(measurement.status, Status::kMeasured) << measurement.reason;
  const double bandwidth = copy.instance().work().bytes / (measurement.time->median_ns * 1e-9);
  std::cout << "copy roof " << roofs.copy_bytes_per_s.value() << " B/s, kernel " << bandwidth
            << " B/s, evaluation " << measurement.measure_ms << " ms\n";
  EXPECT_GT(bandwidth, 0.6 * roofs.copy_bytes_per_s.value());
  EXPECT_LT(bandwidth, 1.1 * roofs.copy_bytes_per_s.value());
  EXPECT_GT(roofs.fp32_theory_flops_per_s, 1e12);
}

class GpuTensorMapTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && enumerate_gpus().gpus.front().compute_major < 9)
      GTEST_SKIP() << "no tensor maps before 9.0";
  }
};

TEST_F(GpuTensorMapTest, BringsBoxesOfItsConfigurationAndZerosFromOutside) {
  RunnerUnderTest boxes("tensor_map", {}, without_counters());
  for (const std::int64_t height : {8, 16, 8}) {
    const Measurement packed = boxes.evaluate({{"HEIGHT", height}, {"WIDTH", std::int64_t{32}}});
    EXPECT_EQ(packed.status, Status::kMeasured) << packed.reason;
    const Measurement swizzled = boxes.evaluate({{"HEIGHT", height}, {"SWIZZLE", std::int64_t{64}}});
    EXPECT_EQ(swizzled.status, Status::kMeasured) << swizzled.reason;
  }
}

TEST_F(GpuTensorMapTest, ThatTheDriverRefusesIsTheReasonOfItsConfiguration) {
  RunnerUnderTest boxes("tensor_map", {}, without_counters());
  // The rows of a swizzled box must not be longer than the swizzle.
  const Measurement refused = boxes.evaluate({{"WIDTH", std::int64_t{32}}, {"SWIZZLE", std::int64_t{64}}});
  EXPECT_EQ(refused.status, Status::kLaunchInvalid);
  EXPECT_THAT(refused.reason, HasSubstr("cuTensorMapEncodeTiled"));
  EXPECT_EQ(boxes.evaluate({}).status, Status::kMeasured) << "the refusal affects no later evaluation";
}

}  // namespace
}  // namespace warptune::profiling
