// `warptune_load` and `warptune_launch`, through libwarptune.so. NVRTC compiles; the driver is a fake.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "tests/library/interface_fixture.h"
#include "tests/profiling/fake_cuda.h"
#include "tests/sanitizers.h"

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

// libwarptune.so calls these, too. The address sanitizer has its own, so nothing is counted under it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(WARPTUNE_CLANG_ADDRESS_SANITIZER)
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace warptune::library {
namespace {

using ::testing::HasSubstr;

using LoadTest = InterfaceTest;

TEST_F(LoadTest, TheSelectedCodeIsLaunchedWithTheArgumentsAndTheWorkspace) {
  const warptune_code* code = load(select(kernel(open()), 4096));
  EXPECT_EQ(warptune_runs(code), WARPTUNE_RUNS_SELECTED);
  EXPECT_EQ(warptune_workspace_bytes(code), 256U);  // 16 sums of 4 bytes.
  ASSERT_EQ(launch(code, arguments(4096), 256), WARPTUNE_OK) << warptune_last_error();
  ASSERT_EQ(profiling::fake_cuda().launches.size(), 1U);
  const profiling::FakeCuda::Launch& made = profiling::fake_cuda().launches.front();
  EXPECT_EQ(made.block, 256U);
  EXPECT_EQ(made.grid, 16U);
  EXPECT_EQ(made.parameters[0], 0x10000U);
  EXPECT_EQ(made.parameters[2], 0x30000U);
  EXPECT_EQ(made.parameters[3], 0x40000000U);  // 2.0f
  EXPECT_EQ(made.parameters[4], 4096U);
}

TEST_F(LoadTest, ArgumentsAreDescribed) {
  const warptune_code* code = load(select(kernel(open()), 4096));
  ASSERT_EQ(warptune_argument_count(code), 4U);
  warptune_argument_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(warptune_describe_argument(code, 1, &info), WARPTUNE_OK);
  EXPECT_STREQ(info.name, "out");
  EXPECT_EQ(info.kind, WARPTUNE_BUFFER);
  EXPECT_EQ(info.type, WARPTUNE_F32);
  EXPECT_EQ(info.is_output, 1);
  EXPECT_EQ(info.bytes, 16384U);
  EXPECT_EQ(info.alignment, 16U);
  ASSERT_EQ(warptune_describe_argument(code, 2, &info), WARPTUNE_OK);
  EXPECT_EQ(info.is_fixed, 0);
  ASSERT_EQ(warptune_describe_argument(code, 3, &info), WARPTUNE_OK);
  EXPECT_EQ(info.is_fixed, 1);
  EXPECT_EQ(warptune_describe_argument(code, 4, &info), WARPTUNE_ERROR_INPUT);
}

TEST_F(LoadTest, AWrongLaunchSaysWhatIsWrongAndLaunchesNothing) {
  const warptune_code* code = load(select(kernel(open()), 4096));
  std::vector<warptune_argument> wrong = arguments(4096);
  wrong[0].bytes -= 4;
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "argument 1 (\"in\"): expected at least 16384 bytes, found 16380");
  wrong = arguments(4096);
  wrong[1].kind = 3;
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "argument 2 (\"out\"): expected a buffer");
  wrong.resize(100);
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "expected 4 arguments, found 100");
  EXPECT_EQ(launch(code, arguments(4096), 255), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "expected a workspace of 256 bytes, found 255");
  EXPECT_EQ(warptune_launch(nullptr, nullptr, wrong.data(), 1, nullptr, 0), WARPTUNE_ERROR_INPUT);
  EXPECT_EQ(warptune_launch(code, nullptr, nullptr, 1, nullptr, 0), WARPTUNE_ERROR_INPUT);
  EXPECT_EQ(profiling::fake_cuda().launched, 0U);
}

TEST_F(LoadTest, ArgumentsOfAnotherTypeValueOrPlaceAreRefused) {
  const warptune_code* code = load(select(kernel(open()), 4096));
  std::vector<warptune_argument> wrong = arguments(4096);
  wrong[0].type = WARPTUNE_F64;
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "argument 1 (\"in\"): expected the type f32, found f64");
  wrong = arguments(4096);
  wrong[3].type = 77;
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "argument 4 (\"n\"): expected the type i32, found an unknown one");
  wrong = arguments(4096);
  const std::int32_t n = 4095;
  wrong[3].data = &n;
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(),
               "argument 4 (\"n\"): its value follows from the problem, and another value was passed");
  wrong = arguments(4096);
  wrong[1].data = nullptr;
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "argument 2 (\"out\"): expected a buffer, found a null address");
  wrong[1].data = reinterpret_cast<const void*>(std::uintptr_t{0x20004});
  EXPECT_EQ(launch(code, wrong), WARPTUNE_ERROR_LAUNCH);
  EXPECT_THAT(warptune_last_error(), HasSubstr("a multiple of 16, found 0x20004"));
  EXPECT_EQ(profiling::fake_cuda().launched, 0U);
}

TEST_F(LoadTest, AMissingOrMisalignedWorkspaceAndAStreamOfAnotherDeviceAreRefused) {
  const warptune_code* code = load(select(kernel(open()), 4096));
  const std::vector<warptune_argument> right = arguments(4096);
  const auto launch_with = [&](std::uintptr_t workspace, std::uintptr_t stream) {
    return warptune_launch(code, reinterpret_cast<void*>(stream), right.data(), right.size(),
                           reinterpret_cast<void*>(workspace), 1 << 20);
  };
  EXPECT_EQ(launch_with(0, 7), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "expected a workspace of 256 bytes, found none");
  EXPECT_EQ(launch_with(0x30010, 7), WARPTUNE_ERROR_LAUNCH);
  EXPECT_STREQ(warptune_last_error(), "expected a workspace at a multiple of 256, found 0x30010");
  profiling::fake_cuda().stream_context = reinterpret_cast<CUcontext>(2);
  EXPECT_EQ(launch_with(0x30000, 7), WARPTUNE_ERROR_LAUNCH);
  EXPECT_THAT(warptune_last_error(), HasSubstr("the stream belongs to another device or context"));
  EXPECT_EQ(profiling::fake_cuda().launched, 0U);
  EXPECT_TRUE(profiling::fake_cuda().zeroed.empty());
}

TEST_F(LoadTest, ALaunchAllocatesNothing) {
  const warptune_code* code = load(select(kernel(open()), 4096));
  const std::vector<warptune_argument> right = arguments(4096);
  profiling::fake_cuda().records = false;
  const std::size_t before = allocations;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(launch(code, right), WARPTUNE_OK);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(profiling::fake_cuda().launched, 10U);
}

TEST_F(LoadTest, ASelectionThatIsKnownAllocatesNothing) {
  warptune_kernel* opened = kernel(open());
  select(opened, 4096);
  const warptune_value values[] = {integer(4096), text("f32")};
  const warptune_selection* selection = nullptr;
  const std::size_t before = allocations;
  ASSERT_EQ(warptune_select(opened, values, 2, &selection), WARPTUNE_OK);
  EXPECT_EQ(allocations, before);
}

TEST_F(LoadTest, InTheBackgroundTheDefaultRunsUntilTheSelectedCodeDoes) {
  const warptune_selection* selection = select(kernel(open()), 4096);
  warptune_code* code = load(selection, true);
  EXPECT_EQ(warptune_workspace_bytes(code), 256U);
  ASSERT_EQ(launch(code, arguments(4096)), WARPTUNE_OK) << warptune_last_error();
  // The compile may be over by now.
  EXPECT_THAT(profiling::fake_cuda().launches.back().block, ::testing::AnyOf(64U, 256U));
  ASSERT_EQ(warptune_wait(code), WARPTUNE_OK) << warptune_last_error();
  EXPECT_EQ(warptune_runs(code), WARPTUNE_RUNS_SELECTED);
  ASSERT_EQ(launch(code, arguments(4096)), WARPTUNE_OK);
  EXPECT_EQ(profiling::fake_cuda().launches.back().block, 256U);
  EXPECT_EQ(profiling::fake_cuda().modules, 2);
  // Now it is in the compile cache, and nothing else is loaded.
  EXPECT_EQ(warptune_runs(load(selection, true)), WARPTUNE_RUNS_SELECTED);
  EXPECT_EQ(profiling::fake_cuda().modules, 3);
}

TEST_F(LoadTest, UnloadedCodeIsGone) {
  warptune_code* code = load(select(kernel(open()), 4096));
  EXPECT_EQ(profiling::fake_cuda().modules, 1);
  warptune_unload(code);
  loaded_.clear();
  EXPECT_EQ(profiling::fake_cuda().modules, 0);
  warptune_unload(nullptr);
  warptune_close(nullptr);
}

TEST_F(LoadTest, AContextOfAnotherDeviceIsRefused) {
  const warptune_selection* selection = select(kernel(open()), 4096);
  profiling::fake_cuda().context_device = 1;
  warptune_code* code = nullptr;
  EXPECT_EQ(warptune_load(selection, nullptr, &code), WARPTUNE_ERROR_INPUT);
  EXPECT_THAT(warptune_last_error(),
              HasSubstr("belongs to device 1, and the kernel was opened for device 0"));
}

TEST_F(LoadTest, CodeThatTheGpuCannotRunIsAnError) {
  const warptune_selection* selection = select(kernel(open()), 4096);
  profiling::fake_cuda().max_threads = 128;
  warptune_code* code = nullptr;
  EXPECT_EQ(warptune_load(selection, nullptr, &code), WARPTUNE_ERROR_COMPILE);
  EXPECT_THAT(warptune_last_error(), HasSubstr("scaled_sum BLOCK=256 cannot run: 256 threads per block"));
  EXPECT_EQ(code, nullptr);
  EXPECT_EQ(profiling::fake_cuda().modules, 0);
}

TEST_F(LoadTest, ABackgroundFailureLeavesTheDefaultRunning) {
  const warptune_selection* selection = select(kernel(open()), 65536);  // BLOCK=512
  profiling::fake_cuda().max_threads = 128;
  warptune_code* code = load(selection, true);
  EXPECT_EQ(warptune_wait(code), WARPTUNE_ERROR_COMPILE);
  EXPECT_THAT(warptune_last_error(), HasSubstr("scaled_sum BLOCK=512 cannot run"));
  EXPECT_EQ(warptune_runs(code), WARPTUNE_RUNS_FALLBACK);
  ASSERT_EQ(launch(code, arguments(65536)), WARPTUNE_OK) << warptune_last_error();
  EXPECT_EQ(profiling::fake_cuda().launches.back().block, 64U);
}

}  // namespace
}  // namespace warptune::library
