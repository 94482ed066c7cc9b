#include "profiling/known_gpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/profiling/fake_nvml.h"

namespace warptune::profiling {
namespace {

using model::GpuDescription;

// The description that the driver gave.
GpuDescription h200() {
  GpuDescription gpu = model::fictional_gpu();
  gpu.name = "NVIDIA H200";
  gpu.memory_bytes = 150'110'011'392;
  gpu.memory_bandwidth_bytes_per_s = std::int64_t{2} * 3'201'000'000 * 6144 / 8;
  return gpu;
}

FakeNvml nvml_h200() {
  FakeNvml nvml;
  nvml.memory_bytes = 150'754'820'096;
  return nvml;
}

// The fake library, with the answers of a test.
std::string library_with(const FakeNvml& nvml, const std::string& kind) {
  const std::string file = std::string(WARPTUNE_FAKE_NVML) + "/libfake_" + kind + ".so";
  void* library = ::dlopen(file.c_str(), RTLD_NOW);
  const auto set = reinterpret_cast<void (*)(const FakeNvml*)>(::dlsym(library, "fake_nvml_set"));
  set(&nvml);
  return file;
}

std::optional<GpuDescription> recognised(const FakeNvml& nvml, const std::vector<GpuDescription>& known,
                                         const std::optional<std::string>& visible = std::nullopt,
                                         const std::string& kind = "nvml") {
  return recognise_gpu(known, visible, library_with(nvml, kind));
}

TEST(KnownGpu, IsRecognisedByWhatNvmlTells) {
  GpuDescription a100 = h200();
  a100.name = "NVIDIA A100";
  const auto found = recognised(nvml_h200(), {a100, h200()});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, h200());
}

TEST(KnownGpu, IsUnknownWhereAnythingDiffers) {
  const auto differs = [](auto change) {
    FakeNvml nvml = nvml_h200();
    change(nvml);
    return !recognised(nvml, {h200()});
  };
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.name = "NVIDIA H100"; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.cores = 114 * 128; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.memory_bytes /= 2; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.bus_bits = 5120; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.max_sm_clock_mhz = 1785; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.max_memory_clock_mhz = 2619; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.ecc = false; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.mig = true; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.refuses = true; }));
  EXPECT_TRUE(differs([](FakeNvml& nvml) { nvml.gpu_count = 0; }));
  EXPECT_FALSE(recognised(nvml_h200(), {}));
}

TEST(KnownGpu, IsLeftToTheDriverWhereNvmlIsTooOldOrDoesNotStart) {
  EXPECT_FALSE(recognised(nvml_h200(), {h200()}, std::nullopt, "nvml_broken"));
  EXPECT_FALSE(recognise_gpu({h200()}, std::nullopt, "/nowhere/libnvidia-ml.so.1"));
}

TEST(KnownGpu, IsLeftToTheDriverWhereTwoDescriptionsFit) {
  GpuDescription more_l2 = h200();
  more_l2.l2_bytes *= 2;
  EXPECT_FALSE(recognised(nvml_h200(), {h200(), more_l2}));
  GpuDescription other_chip_name = h200();  // It has the same key.
  other_chip_name.chip = "";
  EXPECT_TRUE(recognised(nvml_h200(), {h200(), other_chip_name}));
}

TEST(KnownGpu, OfSeveralMustAllBeOfOneKind) {
  FakeNvml nvml = nvml_h200();
  nvml.gpu_count = 2;
  EXPECT_TRUE(recognised(nvml, {h200()}));
  nvml.other_cores = 114 * 128;
  EXPECT_FALSE(recognised(nvml, {h200()}));
}

TEST(KnownGpu, IsLeftToTheDriverWhereTheEnvironmentHidesGpusOtherwiseThanByNumber) {
  for (const char* visible : {"0", "0,1", "00"})
    EXPECT_TRUE(recognised(nvml_h200(), {h200()}, visible)) << visible;
  for (const char* visible : {"", "-1", "1", "GPU-1234", "MIG-1234", "99999999999999999999", "NoDevFiles"})
    EXPECT_FALSE(recognised(nvml_h200(), {h200()}, visible)) << visible;
}

TEST(QuickEnvironment, HasTheDriversVersionAndTheClocksThatNvmlTells) {
  FakeNvml nvml = nvml_h200();
  nvml.sm_clock_mhz = 1410;
  nvml.memory_clock_mhz = 2619;
  nvml.reasons = 0x42;
  for (const char* kind : {"nvml", "nvml_old"}) {
    const model::Environment found = quick_environment(std::nullopt, library_with(nvml, kind));
    EXPECT_EQ(found.driver_version, 13000);
    EXPECT_EQ(found.driver_release, "580.65.06");
    EXPECT_EQ(found.sm_clock_mhz, 1410);
    EXPECT_EQ(found.memory_clock_mhz, 2619);
    EXPECT_EQ(found.throttle_reasons, "0x42");
  }
  const model::Environment hidden = quick_environment("3", library_with(nvml, "nvml"));
  EXPECT_EQ(hidden.driver_version, 13000);
  EXPECT_EQ(hidden.sm_clock_mhz, 0) << "there is no GPU 3";
}

TEST(QuickEnvironment, LeavesOutWhatIsUnknown) {
  FakeNvml nvml = nvml_h200();
  nvml.refuses = true;
  for (const std::string& library : {library_with(nvml, "nvml"), library_with(nvml, "nvml_broken"),
                                     std::string("/nowhere/libnvidia-ml.so.1")}) {
    const model::Environment found = quick_environment(std::nullopt, library);
    EXPECT_FALSE(found.driver_version) << library;
    EXPECT_EQ(found.driver_release, "") << library;
    EXPECT_EQ(found.sm_clock_mhz, 0) << library;
    EXPECT_EQ(found.throttle_reasons, "") << library;
  }
}

}  // namespace
}  // namespace warptune::profiling
