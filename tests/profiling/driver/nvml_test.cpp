#include "profiling/driver/nvml.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "profiling/driver/cuda_driver.h"
#include "tests/profiling/fake_nvml.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::driver {
namespace {

const std::string kBus = "0000:01:00.0";

std::string fake_library(const std::string& kind) {
  return std::string(WARPTUNE_FAKE_NVML) + "/libfake_" + kind + ".so";
}

/// The fake library with the answers of a test.
NvmlDevice device_of(const std::string& kind, const FakeNvml& answers) {
  const std::string file = fake_library(kind);
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << ::dlerror();
  const auto set = reinterpret_cast<void (*)(const FakeNvml*)>(::dlsym(library, "fake_nvml_set"));
  set(&answers);
  return NvmlDevice(kBus, file);
}

void expect_nothing(const NvmlDevice& device) {
  const NvmlReading reading = device.read();
  EXPECT_EQ(reading.sm_clock_mhz, 0);
  EXPECT_EQ(reading.memory_clock_mhz, 0);
  EXPECT_FALSE(reading.throttle_reasons);
  EXPECT_FALSE(device.energy_mj());
  EXPECT_FALSE(device.power_w());
  EXPECT_FALSE(device.processes());
  EXPECT_FALSE(device.utilisation_percent());
}

TEST(Nvml, SaysWhatTheLibrarySays) {
  const NvmlDevice device = device_of("nvml", {.sm_clock_mhz = 1980,
                                               .memory_clock_mhz = 3201,
                                               .reasons = 4,
                                               .energy_mj = 5'000'000'123,
                                               .power_mw = 699'500,
                                               .utilisation_percent = 87,
                                               .process_count = 2});
  ASSERT_TRUE(device.is_available());
  EXPECT_EQ(device.read().sm_clock_mhz, 1980);
  EXPECT_EQ(device.read().memory_clock_mhz, 3201);
  EXPECT_EQ(device.read().throttle_reasons, 4U);
  EXPECT_EQ(device.energy_mj(), 5'000'000'123U);
  EXPECT_DOUBLE_EQ(device.power_w().value_or(0.0), 699.5);
  EXPECT_EQ(device.utilisation_percent(), 87U);
  EXPECT_THAT(device.processes().value(),
              ::testing::ElementsAre(ComputeProcess{100, std::nullopt}, ComputeProcess{101, 1024U}));
}

TEST(Nvml, ListsMoreProcessesThanItFirstHasRoomFor) {
  const auto processes = device_of("nvml", {.process_count = 50}).processes();
  ASSERT_TRUE(processes);
  ASSERT_EQ(processes->size(), 50U);
  EXPECT_EQ(processes->back().pid, 149U);
}

TEST(Nvml, FallsBackToOlderNamesAndDoesWithoutWhatIsMissing) {
  const NvmlDevice device =
      device_of("nvml_old", {.sm_clock_mhz = 1500, .reasons = 0x40, .process_count = 2});
  EXPECT_EQ(device.read().sm_clock_mhz, 1500);
  EXPECT_EQ(device.read().throttle_reasons, 0x40U);
  EXPECT_THAT(device.processes().value(),
              ::testing::ElementsAre(ComputeProcess{100, std::nullopt}, ComputeProcess{101, 1024U}));
  EXPECT_FALSE(device.energy_mj());
  EXPECT_FALSE(device.power_w());
}

TEST(Nvml, HasNoValuesWhereTheGpuRefuses) {
  const NvmlDevice device = device_of("nvml", {.sm_clock_mhz = 1500, .refuses = true});
  EXPECT_TRUE(device.is_available());
  expect_nothing(device);
}

TEST(Nvml, HasNoValuesWithoutALibraryADriverOrTheGpu) {
  for (const NvmlDevice& device :
       {NvmlDevice(kBus, "/nowhere/libnvidia-ml.so.1"), NvmlDevice(kBus, fake_library("nvml_broken")),
        NvmlDevice("0000:02:00.0", fake_library("nvml"))}) {
    EXPECT_FALSE(device.is_available());
    expect_nothing(device);
  }
}

TEST(Nvml, CountsTheProcessesOfEachGpu) {
  EXPECT_TRUE(process_counts("/nowhere/libnvidia-ml.so.1").empty());
  device_of("nvml", {.process_count = 3, .gpu_count = 2});
  EXPECT_THAT(process_counts(fake_library("nvml")), ::testing::ElementsAre(3U, 3U));
}

TEST(ThrottleReasons, AreNamedBitByBit) {
  EXPECT_EQ(describe_throttle(0), "none");
  EXPECT_EQ(describe_throttle(0x4), "power cap");
  EXPECT_EQ(describe_throttle(0x48), "hardware slowdown, thermal (hardware)");
  EXPECT_EQ(describe_throttle(0x1ff),
            "idle, application clocks, power cap, hardware slowdown, sync boost, thermal (software), thermal "
            "(hardware), power brake, display clocks");
  EXPECT_EQ(describe_throttle(0x1004), "power cap, unknown reason 0x1000");
}

TEST(ThrottleReasons, OfIdlenessAndSetClocksAreNoThrottling) {
  EXPECT_FALSE(is_throttled(0));
  EXPECT_FALSE(is_throttled(0x3));
  EXPECT_TRUE(is_throttled(0x4));
  EXPECT_TRUE(is_throttled(0x21));
  EXPECT_TRUE(is_throttled(0x1000));
}

using GpuNvmlTest = GpuTest;

TEST_F(GpuNvmlTest, ReadsARealGpu) {
  const Context context(0);
  char bus[32] = {};
  WARPTUNE_CUDA(cuDeviceGetPCIBusId(bus, sizeof(bus), context.device()));
  const NvmlDevice device(bus);
  ASSERT_TRUE(device.is_available());
  const NvmlReading reading = device.read();
  EXPECT_GT(reading.sm_clock_mhz, 0);
  EXPECT_GT(reading.memory_clock_mhz, 0);
  ASSERT_TRUE(reading.throttle_reasons);
  std::cout << "SM " << reading.sm_clock_mhz << " MHz, memory " << reading.memory_clock_mhz
            << " MHz, throttled by " << describe_throttle(*reading.throttle_reasons) << "; energy "
            << device.energy_mj().value_or(0) << " mJ, power " << device.power_w().value_or(0.0)
            << " W, busy " << device.utilisation_percent().value_or(999) << " %, processes";
  const auto processes = device.processes();
  if (processes) {
    for (const ComputeProcess& process : *processes) std::cout << ' ' << process.pid;
  } else {
    std::cout << " unknown";
  }
  std::cout << '\n';
}

}  // namespace
}  // namespace warptune::profiling::driver
