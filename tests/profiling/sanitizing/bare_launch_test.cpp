// Launches on a GPU without a program that checks them. scripts/gpu-sanitize-profile has compute-sanitizer.
#include "profiling/sanitizing/bare_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "kernel_templates/compiler.h"
#include "profiling/gpu.h"
#include "tests/profiling/runner_fixture.h"

namespace warptune::profiling::sanitizing {
namespace {

class GpuBareLaunchTest : public GpuTest {
 protected:
  static std::optional<std::string> launched(const std::string& kernel, const model::NamedValues& changes) {
    const kernel_templates::KernelInstance instance(load_test_kernel(kernel), {},
                                                    enumerate_gpus().gpus.front());
    const model::NamedValues configuration = with(instance, changes);
    const auto request = instance.compile_request(configuration);
    if (!request) return request.error().reason;
    const auto compiled = kernel_templates::compile(*request);
    if (!compiled) return compiled.error().reason;
    return launch_bare(instance, configuration, *compiled, 0, 1);
  }
};

TEST_F(GpuBareLaunchTest, OfAKernelSucceeds) { EXPECT_EQ(launched("faults", {}), std::nullopt); }

TEST_F(GpuBareLaunchTest, OfAHostProgramSucceedsWithBuffersOnTheHost) {
  for (const std::string memory : {"pinned", "pageable", "device"}) {
    for (const std::string submit : {"stream", "graph"})
      EXPECT_EQ(
          launched("host_pipeline", {{"MEMORY", memory}, {"STREAMS", std::int64_t{2}}, {"SUBMIT", submit}}),
          std::nullopt)
          << memory << ", " << submit;
  }
}

}  // namespace
}  // namespace warptune::profiling::sanitizing
