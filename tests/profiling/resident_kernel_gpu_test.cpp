// Every shipped kernel gives the same results through a resident kernel, as libwarptune launches it, as
// through the plan that the tool runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernel_templates/compiler.h"
#include "profiling/driver/launcher.h"
#include "profiling/gpu.h"
#include "profiling/resident_kernel.h"
#include "tests/kernel_templates/library_cases.h"
#include "tests/profiling/kept_context.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling {
namespace {

using kernel_templates::ArgumentKind;
using kernel_templates::KernelInstance;

// One configuration, as the tool loads it. The buffers are used by both ways.
class BothWays {
 public:
  BothWays(const KernelInstance& instance, const model::NamedValues& configuration)
      : instance_(instance),
        context_(0),
        stream_(driver::make_stream()),
        resources_(stream_.get()),
        arguments_(instance, 1, stream_.get(), std::size_t{1} << 28),
        compiled_(compile_for_test(instance.compile_request(configuration).value()).value()),
        plan_(instance.launch_plan(configuration).value()),
        resolved_(instance.arguments(configuration).value()) {
    arguments_.fit(resolved_);
  }

  bool is_supported() const {
    return !plan_.host_program && std::none_of(resolved_.begin(), resolved_.end(), [](const auto& argument) {
      return argument.kind == ArgumentKind::kTexture || argument.memory != kernel_templates::Memory::kDevice;
    });
  }

  std::vector<std::vector<std::byte>> by_the_tool() {
    auto loaded = driver::LoadedPlan::load(compiled_, plan_, instance_.gpu(), arguments_.parameter_sizes(),
                                           resolved_, resources_);
    EXPECT_TRUE(loaded) << loaded.error().reason;
    loaded->bind(arguments_);
    arguments_.restore();
    arguments_.poison_outputs();
    loaded->launch();
    return outputs();
  }

  std::vector<std::vector<std::byte>> resident() {
    const ResidentCode code{compiled_, plan_, resolved_, std::vector<bool>(resolved_.size(), true)};
    auto loaded = ResidentKernel::load(code, instance_.gpu(), std::make_shared<ResidentContext>(0));
    EXPECT_TRUE(loaded) << loaded.error().reason;
    const std::uint64_t bytes = (*loaded)->workspace_bytes();
    driver::DeviceMemory workspace;
    if (bytes > 0) {
      workspace = driver::allocate(bytes, "the workspace");
      WARPTUNE_CUDA(cuMemsetD8Async(workspace.get(), 0xA5, bytes, stream_.get()));
    }
    arguments_.restore();
    arguments_.poison_outputs();
    const LaunchOutcome outcome = (*loaded)->launch(stream_.get(), given(), workspace.get(), bytes);
    EXPECT_TRUE(outcome.ok()) << (*loaded)->describe(outcome);
    return outputs();
  }

 private:
  std::vector<GivenArgument> given() {
    std::vector<GivenArgument> given;
    for (const driver::DeviceArgument& one : arguments_.all()) {
      const ArgumentKind kind = one.argument.kind;
      if (kind == ArgumentKind::kScratch || kind == ArgumentKind::kTensorMap) continue;
      given.push_back({one.is_buffer(), one.argument.type, one.is_buffer() ? one.bytes() : 0,
                       one.is_buffer() ? one.pointer : 0, nullptr});
    }
    return given;
  }

  std::vector<std::vector<std::byte>> outputs() {
    WARPTUNE_CUDA(cuStreamSynchronize(stream_.get()));
    std::vector<std::vector<std::byte>> all;
    for (const driver::DeviceArgument& one : arguments_.all()) {
      if (!one.is_output()) continue;
      all.emplace_back(one.bytes());
      WARPTUNE_CUDA(cuMemcpyDtoH(all.back().data(), one.pointer, one.bytes()));
    }
    return all;
  }

  const KernelInstance& instance_;
  driver::Context context_;
  driver::Stream stream_;
  driver::HostResources resources_;
  driver::DeviceArguments arguments_;
  kernel_templates::CompiledKernel compiled_;
  kernel_templates::LaunchPlan plan_;
  std::vector<kernel_templates::ResolvedArgument> resolved_;
};

class ResidentKernelOnTheGpu : public GpuTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(ResidentKernelOnTheGpu, GivesTheResultsOfTheTool) {
  const GpuList list = enumerate_gpus();
  const kernel_templates::LibraryCases cases = kernel_templates::load_library_cases(GetParam());
  model::NamedValues problem = cases.types.front();
  problem.insert(problem.end(), cases.sizes.back().begin(), cases.sizes.back().end());
  const KernelInstance instance(
      kernel_templates::load_kernel_definition(kernel_templates::library_file(GetParam())), problem,
      list.gpus.front());
  base::Random random(1);
  std::vector<model::NamedValues> configurations = {instance.default_configuration().empty()
                                                        ? instance.space().values_of(instance.space().at(0))
                                                        : instance.default_configuration()};
  for (int i = 0; i < 3; ++i)
    configurations.push_back(kernel_templates::draw_configuration(instance, "", random));
  for (const model::NamedValues& configuration : configurations) {
    SCOPED_TRACE(model::to_text(configuration));
    BothWays both(instance, configuration);
    if (!both.is_supported()) continue;
    const auto expected = both.by_the_tool();
    const auto found = both.resident();
    ASSERT_EQ(expected.size(), found.size());
    if (instance.is_nondeterministic(configuration)) continue;  // The bits differ from launch to launch.
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(expected[i] == found[i]) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Gpu, ResidentKernelOnTheGpu,
                         ::testing::ValuesIn(kernel_templates::library_kernels()),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace warptune::profiling
