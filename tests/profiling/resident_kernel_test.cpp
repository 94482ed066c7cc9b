#include "profiling/resident_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/profiling/fake_cuda.h"

namespace warptune::profiling {
namespace {

using kernel_templates::ArgumentKind;
using kernel_templates::DataType;
using kernel_templates::LaunchStep;
using kernel_templates::ResolvedArgument;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::uint64_t kIn = 0x10000;
constexpr std::uint64_t kOut = 0x20000;
constexpr std::uint64_t kWorkspace = 0x30000;

ResolvedArgument argument(const std::string& name, ArgumentKind kind, DataType type, std::int64_t count) {
  ResolvedArgument made;
  made.name = name;
  made.kind = kind;
  made.type = type;
  made.count = count;
  return made;
}

CUcontext context_handle(std::uintptr_t number) { return reinterpret_cast<CUcontext>(number); }
void* stream_handle(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

/// A kernel `copy(in, out, n)` whose scalar n follows from the problem.
class ResidentKernelTest : public ::testing::Test {
 protected:
  ResidentKernelTest() {
    fake_cuda() = FakeCuda{};
    fake_cuda().current = context_handle(1);
    fake_cuda().stream_context = context_handle(1);
    fake_cuda().parameter_sizes = {8, 8, 4};
    compiled_.entries = {{"copy", "_Z4copy"}};
    arguments_ = {argument("in", ArgumentKind::kIn, DataType::kF32, 100),
                  argument("out", ArgumentKind::kOut, DataType::kF32, 100),
                  argument("n", ArgumentKind::kScalar, DataType::kI32, 1)};
    arguments_[2].scalar = std::int64_t{100};
    is_fixed_ = {false, false, true};
    LaunchStep step;
    step.entry = "copy";
    step.grid = {4, 1, 1};
    step.block = {32, 1, 1};
    step.shared_bytes = 1024;
    plan_.steps.push_back({step, 0});
    given_ = {{true, DataType::kF32, 400, kIn, nullptr},
              {true, DataType::kF32, 400, kOut, nullptr},
              {false, DataType::kI32, 0, 0, nullptr}};
  }

  model::Outcome<std::unique_ptr<ResidentKernel>> load(std::uint64_t workspace_bytes = 0) {
    return ResidentKernel::load({compiled_, plan_, arguments_, is_fixed_, workspace_bytes}, gpu_,
                                std::make_shared<ResidentContext>(0));
  }
  std::unique_ptr<ResidentKernel> loaded() {
    auto outcome = load();
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().reason);
    return *std::move(outcome);
  }
  /// Launches, and returns why nothing was launched; empty if it was.
  std::string launch(const ResidentKernel& kernel, std::uint64_t workspace = 0, std::uint64_t bytes = 0,
                     void* stream = stream_handle(7)) {
    const std::size_t before = fake_cuda().launched;
    const LaunchOutcome outcome = kernel.launch(stream, given_, workspace, bytes);
    EXPECT_EQ(fake_cuda().launched - before, outcome.ok() ? plan_.steps.size() : 0U);
    return kernel.describe(outcome);
  }
  /// Gives the kernel two scratch buffers, of which the first must be zero.
  void add_scratch() {
    arguments_.push_back(argument("sums", ArgumentKind::kScratch, DataType::kF32, 3));
    arguments_.back().zeroed = true;
    arguments_.push_back(argument("flags", ArgumentKind::kScratch, DataType::kI32, 100));
    is_fixed_.resize(5);
    fake_cuda().parameter_sizes = {8, 8, 4, 8, 8};
  }

  kernel_templates::CompiledKernel compiled_;
  kernel_templates::LaunchPlan plan_;
  std::vector<ResolvedArgument> arguments_;
  std::vector<bool> is_fixed_;
  std::vector<GivenArgument> given_;
  model::GpuDescription gpu_ = model::fictional_gpu();
};

TEST_F(ResidentKernelTest, ALaunchGetsTheBuffersTheUsualScalarAndTheStream) {
  const auto kernel = loaded();
  EXPECT_EQ(launch(*kernel), "");
  ASSERT_EQ(fake_cuda().launches.size(), 1U);
  const FakeCuda::Launch& made = fake_cuda().launches.front();
  EXPECT_EQ(made.grid, 4U);
  EXPECT_EQ(made.block, 32U);
  EXPECT_EQ(made.shared_bytes, 1024U);
  EXPECT_EQ(made.stream, stream_handle(7));
  EXPECT_EQ(made.parameters[0], kIn);
  EXPECT_EQ(made.parameters[1], kOut);
  EXPECT_EQ(made.parameters[2], 100U);
}

TEST_F(ResidentKernelTest, WhatACallerPassesIsDescribed) {
  add_scratch();
  const auto kernel = loaded();
  ASSERT_EQ(kernel->expected().size(), 3U);
  EXPECT_EQ(kernel->expected()[0].name, "in");
  EXPECT_EQ(kernel->expected()[0].bytes, 400U);
  EXPECT_EQ(kernel->expected()[0].alignment, 16U);
  EXPECT_FALSE(kernel->expected()[2].is_buffer());
  EXPECT_EQ(kernel->expected()[2].bytes, 4U);
  EXPECT_EQ(kernel->workspace_bytes(), 256U + 512U);
}

TEST_F(ResidentKernelTest, AFixedScalarMayBePassedIfItIsRight) {
  const auto kernel = loaded();
  std::int32_t n = 100;
  given_[2].value = &n;
  EXPECT_EQ(launch(*kernel), "");
  n = 99;
  EXPECT_THAT(launch(*kernel), HasSubstr("argument 3 (\"n\"): its value follows from the problem"));
}

TEST_F(ResidentKernelTest, AFreeScalarGetsTheCallersValue) {
  is_fixed_[2] = false;
  const auto kernel = loaded();
  const std::int32_t n = 7;
  given_[2].value = &n;
  EXPECT_EQ(launch(*kernel), "");
  EXPECT_EQ(fake_cuda().launches.front().parameters[2], 7U);
}

TEST_F(ResidentKernelTest, WrongArgumentsAreNamedAndNothingIsLaunched) {
  const auto kernel = loaded();
  const std::vector<GivenArgument> right = given_;
  given_.pop_back();
  EXPECT_EQ(launch(*kernel), "expected 3 arguments, found 2");
  given_ = right;
  given_[1].type = DataType::kF64;
  EXPECT_EQ(launch(*kernel), "argument 2 (\"out\"): expected the type f32, found f64");
  given_[1].type = static_cast<DataType>(99);
  EXPECT_EQ(launch(*kernel), "argument 2 (\"out\"): expected the type f32, found an unknown one");
  given_ = right;
  given_[0].is_buffer = false;
  EXPECT_EQ(launch(*kernel), "argument 1 (\"in\"): expected a buffer");
  given_ = right;
  given_[2].is_buffer = true;
  EXPECT_EQ(launch(*kernel), "argument 3 (\"n\"): expected a scalar");
  given_ = right;
  given_[0].bytes = 399;
  EXPECT_EQ(launch(*kernel), "argument 1 (\"in\"): expected at least 400 bytes, found 399");
  given_[0] = {true, DataType::kF32, 400, kIn + 8, nullptr};
  EXPECT_EQ(launch(*kernel),
            "argument 1 (\"in\"): expected an address that is a multiple of 16, found 0x10008");
  given_[0].address = 0;
  EXPECT_EQ(launch(*kernel), "argument 1 (\"in\"): expected a buffer, found a null address");
}

TEST_F(ResidentKernelTest, AWorkspaceThatDoesNotFitIsRefused) {
  add_scratch();
  const auto kernel = loaded();
  EXPECT_EQ(launch(*kernel), "expected a workspace of 768 bytes, found none");
  EXPECT_EQ(launch(*kernel, kWorkspace, 767), "expected a workspace of 768 bytes, found 767");
  EXPECT_EQ(launch(*kernel, kWorkspace + 128, 1000),
            "expected a workspace at a multiple of 256, found 0x30080");
  EXPECT_THAT(fake_cuda().zeroed, IsEmpty());
}

TEST_F(ResidentKernelTest, ScratchBuffersAreInTheWorkspaceAndZeroedOnesAreSetToZero) {
  add_scratch();
  const auto kernel = loaded();
  EXPECT_EQ(launch(*kernel, kWorkspace, 768), "");
  EXPECT_THAT(fake_cuda().zeroed, ElementsAre(Pair(kWorkspace, 12U)));
  EXPECT_EQ(fake_cuda().launches.front().parameters[3], kWorkspace);
  EXPECT_EQ(fake_cuda().launches.front().parameters[4], kWorkspace + 256);
}

TEST_F(ResidentKernelTest, SeveralConfigurationsCanDemandTheSameWorkspace) {
  auto outcome = load(4096);
  ASSERT_TRUE(outcome);
  EXPECT_EQ((*outcome)->workspace_bytes(), 4096U);
  EXPECT_EQ(launch(**outcome, kWorkspace, 4095), "expected a workspace of 4096 bytes, found 4095");
}

TEST_F(ResidentKernelTest, AStreamOfAnotherContextIsRefused) {
  const auto kernel = loaded();
  fake_cuda().stream_context = context_handle(2);
  EXPECT_THAT(launch(*kernel), HasSubstr("the stream belongs to another device or context"));
  EXPECT_EQ(launch(*kernel, 0, 0, nullptr), "");  // The stream of the current context.
  fake_cuda().current = context_handle(2);
  EXPECT_THAT(launch(*kernel, 0, 0, nullptr), HasSubstr("the stream belongs to another device or context"));
}

TEST_F(ResidentKernelTest, EachStepOfAPlanGetsItsOwnArguments) {
  kernel_templates::PlanStep second = plan_.steps.front();
  auto& launch_step = std::get<LaunchStep>(second.action);
  launch_step.arguments = {{std::size_t{1}, 64, {}, {}}, {std::size_t{0}, 0, {}, {}}, {{}, 0, {}, {}}};
  launch_step.arguments->at(2).value = {std::byte{5}, std::byte{0}, std::byte{0}, std::byte{0}};
  plan_.steps.push_back(second);
  const auto kernel = loaded();
  EXPECT_EQ(launch(*kernel), "");
  ASSERT_EQ(fake_cuda().launches.size(), 2U);
  EXPECT_EQ(fake_cuda().launches[0].parameters[0], kIn);
  EXPECT_EQ(fake_cuda().launches[1].parameters[0], kOut + 64);
  EXPECT_EQ(fake_cuda().launches[1].parameters[1], kIn);
  EXPECT_EQ(fake_cuda().launches[1].parameters[2], 5U);
}

TEST_F(ResidentKernelTest, AStructWithAddressesIsRejected) {
  kernel_templates::PassedArgument range{{}, 0, std::vector<std::byte>(8), {{0, 0, 0}}};
  std::get<LaunchStep>(plan_.steps.front().action).arguments = {range};
  fake_cuda().parameter_sizes = {8};
  const auto outcome = load();
  ASSERT_FALSE(outcome.has_value());
  EXPECT_THAT(outcome.error().reason,
              HasSubstr("gets a struct with addresses, which libwarptune cannot launch with"));
}

TEST_F(ResidentKernelTest, AKernelWithAVariableStaysOnItsFirstStream) {
  arguments_[0].symbol = "weights";
  compiled_.variables = {{"&weights", "weights"}};
  fake_cuda().parameter_sizes = {8, 4};
  fake_cuda().variable_bytes = 400;
  const auto kernel = loaded();
  EXPECT_EQ(launch(*kernel), "");
  EXPECT_EQ(launch(*kernel), "");
  ASSERT_EQ(fake_cuda().copied.size(), 2U);
  EXPECT_EQ(fake_cuda().copied.front().second, kIn);
  EXPECT_THAT(launch(*kernel, 0, 0, stream_handle(8)),
              HasSubstr("runs only on the stream of its first launch"));
}

TEST_F(ResidentKernelTest, AVariableThatIsTooSmallIsRejected) {
  arguments_[0].symbol = "weights";
  compiled_.variables = {{"&weights", "weights"}};
  fake_cuda().variable_bytes = 399;
  const auto outcome = load();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().reason, HasSubstr("the variable weights has 399 bytes"));
  EXPECT_EQ(fake_cuda().modules, 0);
}

TEST_F(ResidentKernelTest, WhatCannotBeLaunchedIsRejectedWithTheReason) {
  arguments_[0].memory = kernel_templates::Memory::kPinned;
  EXPECT_THAT(load().error().reason, HasSubstr("\"in\" is in the host's memory"));
  arguments_[0].memory = kernel_templates::Memory::kManaged;
  EXPECT_THAT(load().error().reason, HasSubstr("\"in\" is in managed memory"));
  arguments_[0].memory = kernel_templates::Memory::kDevice;
  arguments_[0].kind = ArgumentKind::kTexture;
  EXPECT_THAT(load().error().reason, HasSubstr("\"in\" is a texture"));
  arguments_[0].kind = ArgumentKind::kIn;
  plan_.host_program = true;
  EXPECT_THAT(load().error().reason, HasSubstr("host program"));
  plan_.host_program = false;
  fake_cuda().parameter_sizes = {8, 8};
  EXPECT_THAT(load().error().reason, HasSubstr("copy takes 2 parameters"));
  EXPECT_EQ(fake_cuda().modules, 0);
}

TEST_F(ResidentKernelTest, TheCodeIsUnloadedWithTheObject) {
  auto kernel = loaded();
  EXPECT_EQ(fake_cuda().modules, 1);
  kernel.reset();
  EXPECT_EQ(fake_cuda().modules, 0);
}

TEST_F(ResidentKernelTest, ARefusalOfTheDriverIsAnError) {
  fake_cuda().load_code = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_THROW(load(), base::MachineError);
}

TEST_F(ResidentKernelTest, TheCodeIsLoadedWhileAStreamIsCaptured) {
  fake_cuda().is_capturing = true;
  EXPECT_TRUE(loaded());
  EXPECT_EQ(fake_cuda().capture_mode, CU_STREAM_CAPTURE_MODE_GLOBAL) << "the thread's mode is as before";
}

TEST_F(ResidentKernelTest, ThreadsLaunchAtTheSameTime) {
  const auto kernel = loaded();
  fake_cuda().records = false;
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> refused = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) refused += kernel->launch(stream_handle(7), given_, 0, 0).ok() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(fake_cuda().launched, 4000U);
}

}  // namespace
}  // namespace warptune::profiling
