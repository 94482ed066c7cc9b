// Buffers in separate memory, with a fake of libcuda: their addresses, contents and guards, and where the
// pages of managed memory are before a launch.

#include "profiling/driver/device_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/driver/host_resources.h"
#include "profiling/driver/launcher.h"
#include "tests/kernel_templates/definitions.h"
#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling::driver {
namespace {

using kernel_templates::ManagedPages;
using kernel_templates::Memory;
using kernel_templates::PagePlace;
using kernel_templates::ResolvedArgument;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr CUmemLocationType kOnDevice = CU_MEM_LOCATION_TYPE_DEVICE;
constexpr CUmemLocationType kOnHost = CU_MEM_LOCATION_TYPE_HOST;

const std::string kToml = R"toml([kernel]
entry = "scale"
[problem]
N = 1000
[parameters]
BLOCK = [128]
[default]
BLOCK = 128
[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
[[argument]]
name = "x"
kind = "in"
type = "f32"
count = "N"
init = { kind = "iota" }
[[argument]]
name = "y"
kind = "inout"
type = "f32"
count = "N"
init = { kind = "iota", start = 5 }
)toml";

class DeviceBuffersTest : public ::testing::Test {
 protected:
  DeviceBuffersTest()
      : instance_(kernel_templates::load_embedded(
                      kToml, "extern \"C\" __global__ void scale(const float* x, float* y) {}\n"),
                  {}, model::fictional_gpu()) {
    fake_cuda() = FakeCuda{};
    fake_cuda().attributes[CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS] = 1;
    arguments_.emplace(instance_, 1, nullptr, 0);
  }

  // Adapts the arguments to a configuration in which the first one is in this memory.
  DeviceArgument& use(Memory memory, const ManagedPages& pages = {}) {
    std::vector<ResolvedArgument> resolved = instance_.arguments(instance_.default_configuration()).value();
    resolved[0].memory = memory;
    resolved[0].pages = pages;
    arguments_->fit(resolved);
    return arguments_->all()[0];
  }
  static float element(CUdeviceptr buffer, std::size_t index) {
    float value = 0.0F;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(buffer) + index * sizeof value, sizeof value);
    return value;
  }
  static std::vector<FakeCuda::PageCall> take_page_calls() {
    return std::exchange(fake_cuda().page_calls, {});
  }
  static FakeCuda::PageCall prefetch_of(const DeviceArgument& argument, CUmemLocationType place) {
    return {std::nullopt, argument.pointer, argument.bytes(), place};
  }
  static FakeCuda::PageCall advice_of(const DeviceArgument& argument, CUmem_advise advice,
                                      CUmemLocationType place = kOnDevice) {
    return {advice, argument.pointer, argument.bytes(), place};
  }

  kernel_templates::KernelInstance instance_;
  std::optional<DeviceArguments> arguments_;
};

TEST_F(DeviceBuffersTest, EachKindOfSeparateMemoryHasTheContentsAndItsOwnAddress) {
  const CUdeviceptr on_device = use(Memory::kDevice).pointer;
  for (const Memory memory : {Memory::kPinned, Memory::kPageable, Memory::kManaged}) {
    const CUdeviceptr separate = use(memory).pointer;
    EXPECT_NE(separate, on_device);
    EXPECT_EQ(element(separate, 999), 999.0F) << to_string(memory);
    EXPECT_EQ(use(memory).pointer, separate) << "it stays where it is";
  }
  EXPECT_EQ(use(Memory::kDevice).pointer, on_device);
}

TEST_F(DeviceBuffersTest, LaunchesGetTheGpusAddressOfWriteCombinedMemory) {
  const CUdeviceptr address = use(Memory::kWriteCombined).pointer;
  EXPECT_GT(address, kFakeWriteCombinedDistance);
  EXPECT_EQ(element(address - kFakeWriteCombinedDistance, 7), 7.0F);
}

TEST_F(DeviceBuffersTest, ChecksReadCopiesOfSeparateMemoryWithItsGuards) {
  for (const Memory memory : {Memory::kPinned, Memory::kPageable, Memory::kManaged}) {
    DeviceArgument& argument = use(memory);
    auto* bytes = reinterpret_cast<unsigned char*>(argument.pointer);
    bytes[0] = 0x5A;
    bytes[argument.bytes()] = 0x5B;
    arguments_->fetch_separate();
    const auto* copied = reinterpret_cast<const unsigned char*>(argument.buffer.data());
    EXPECT_EQ(copied[0], 0x5A) << to_string(memory);
    EXPECT_EQ(copied[argument.bytes()], 0x5B) << to_string(memory);
    arguments_->write_guards(argument);
    EXPECT_EQ(bytes[argument.bytes()], guard_byte(0)) << to_string(memory);
    EXPECT_EQ(bytes[-1], guard_byte(kGuardBytes - 1)) << to_string(memory);
    arguments_->refill(0);
    EXPECT_EQ(element(argument.pointer, 0), 0.0F) << "new contents go to all separate memory";
  }
}

TEST_F(DeviceBuffersTest, ManagedPagesAreMovedToTheirResidencyBeforeEveryLaunch) {
  const DeviceArgument& argument = use(Memory::kManaged, {PagePlace::kHost, false, {}, {}});
  EXPECT_THAT(take_page_calls(), IsEmpty()) << "no advice, and no launch yet";
  for (int launch = 0; launch < 2; ++launch) {
    arguments_->restore();
    EXPECT_THAT(take_page_calls(), ElementsAre(prefetch_of(argument, kOnHost)));
  }
  use(Memory::kManaged);
  arguments_->restore();
  EXPECT_THAT(take_page_calls(), ElementsAre(prefetch_of(argument, kOnDevice)));
  use(Memory::kPinned);
  arguments_->restore();
  EXPECT_THAT(take_page_calls(), IsEmpty()) << "launches do not use the managed memory";
}

// The default of this definition has an argument in managed memory.
kernel_templates::KernelInstance managed_instance() {
  return {
      kernel_templates::load_embedded(
          kernel_templates::with(kToml, "kind = \"in\"\n",
                                 "kind = \"in\"\nmemory = \"managed\"\nadvise = { read_mostly = true }\n"),
          "extern \"C\" __global__ void scale(const float* x, float* y) {}\n"),
      {},
      model::fictional_gpu()};
}

// A GPU that cannot move pages refuses these calls. The configuration is refused with a reason before `fit`.
TEST_F(DeviceBuffersTest, MakingBuffersAdvisesAndMovesNothing) {
  const kernel_templates::KernelInstance managed = managed_instance();
  const DeviceArguments made(managed, 1, nullptr, 0);
  EXPECT_TRUE(made.all()[0].is_separate());
  EXPECT_THAT(take_page_calls(), IsEmpty());
}

TEST_F(DeviceBuffersTest, AGpuThatCannotMovePagesGetsNoManagedMemoryAndRefusesPlansWithIt) {
  fake_cuda().attributes.clear();
  const kernel_templates::KernelInstance managed = managed_instance();
  const DeviceArguments made(managed, 1, nullptr, 0);
  EXPECT_FALSE(made.all()[0].is_separate());
  kernel_templates::LaunchPlan plan;  // It has no launch.
  HostResources resources(nullptr);
  const auto resolved = managed.arguments(managed.default_configuration()).value();
  const auto loaded =
      LoadedPlan::load({}, plan, model::fictional_gpu(), made.parameter_sizes(), resolved, resources);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().status, model::Status::kLaunchInvalid);
  EXPECT_THAT(loaded.error().reason, HasSubstr("\"x\" is in managed memory"));
}

TEST_F(DeviceBuffersTest, ManagedMemoryThatDoesNotFitBesideTheCopiesIsRefused) {
  fake_cuda().free_bytes = 1000;
  try {
    use(Memory::kManaged);
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("argument x needs"));
    EXPECT_THAT(error.what(), HasSubstr("of managed memory, 1000 of"));
  }
}

TEST_F(DeviceBuffersTest, WithoutGuardsOnlyInputsAreCopiedToNewSeparateMemory) {
  arguments_.emplace(instance_, 1, nullptr, 0, Guards::kNone);
  const DeviceArgument& inout = arguments_->all()[1];
  std::memset(reinterpret_cast<void*>(inout.buffer.data()), 0x5A, inout.bytes());
  std::vector<ResolvedArgument> resolved = instance_.arguments(instance_.default_configuration()).value();
  for (ResolvedArgument& argument : resolved) argument.memory = Memory::kPinned;
  arguments_->fit(resolved);
  EXPECT_EQ(element(arguments_->all()[0].pointer, 999), 999.0F);
  EXPECT_EQ(element(inout.pointer, 0), 0.0F) << "nothing has written its buffer on the device";
  arguments_->restore();
  EXPECT_EQ(element(inout.pointer, 0), 5.0F);
}

TEST_F(DeviceBuffersTest, AdviceIsThatOfTheConfiguration) {
  const DeviceArgument& argument =
      use(Memory::kManaged, {PagePlace::kDevice, true, PagePlace::kHost, PagePlace::kDevice});
  EXPECT_THAT(take_page_calls(),
              ElementsAre(advice_of(argument, CU_MEM_ADVISE_SET_READ_MOSTLY),
                          advice_of(argument, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, kOnHost),
                          advice_of(argument, CU_MEM_ADVISE_SET_ACCESSED_BY)));
  use(Memory::kManaged, {PagePlace::kDevice, true, PagePlace::kDevice, {}});
  EXPECT_THAT(take_page_calls(),
              ElementsAre(advice_of(argument, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, kOnHost),
                          advice_of(argument, CU_MEM_ADVISE_SET_PREFERRED_LOCATION),
                          advice_of(argument, CU_MEM_ADVISE_UNSET_ACCESSED_BY)));
  use(Memory::kManaged);
  EXPECT_THAT(take_page_calls(), ElementsAre(advice_of(argument, CU_MEM_ADVISE_UNSET_READ_MOSTLY),
                                             advice_of(argument, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)));
}

TEST_F(DeviceBuffersTest, CopiesOfPagesThatAreMostlyReadAreDroppedBeforeALaunchThatFindsThemOnTheHost) {
  const DeviceArgument& argument = use(Memory::kManaged, {PagePlace::kHost, true, {}, {}});
  take_page_calls();
  arguments_->restore();
  EXPECT_THAT(take_page_calls(), ElementsAre(advice_of(argument, CU_MEM_ADVISE_UNSET_READ_MOSTLY),
                                             prefetch_of(argument, kOnHost),
                                             advice_of(argument, CU_MEM_ADVISE_SET_READ_MOSTLY)));
}

TEST_F(DeviceBuffersTest, OnlyManagedMemoryNeedsItsPagesRestored) {
  arguments_->all()[1].argument.kind = kernel_templates::ArgumentKind::kOut;
  use(Memory::kPinned);
  EXPECT_FALSE(arguments_->needs_restore());
  use(Memory::kManaged);
  EXPECT_TRUE(arguments_->needs_restore());
  arguments_->all()[1].argument.kind = kernel_templates::ArgumentKind::kInOut;
}

TEST_F(DeviceBuffersTest, APrefetchOfAProgramMovesItsRange) {
  const DeviceArgument& argument = use(Memory::kManaged);
  kernel_templates::LaunchPlan plan;
  plan.steps.push_back({kernel_templates::PrefetchStep{{0, 40, 360}, PagePlace::kHost}, 0});
  plan.main = 1;
  HostResources resources(nullptr);
  auto loaded =
      LoadedPlan::load({}, plan, model::fictional_gpu(), arguments_->parameter_sizes(), {}, resources);
  ASSERT_TRUE(loaded);
  loaded->bind(*arguments_);
  take_page_calls();
  loaded->launch();
  EXPECT_THAT(take_page_calls(),
              ElementsAre(FakeCuda::PageCall{std::nullopt, argument.pointer + 40, 360, kOnHost}));
}

}  // namespace
}  // namespace warptune::profiling::driver
