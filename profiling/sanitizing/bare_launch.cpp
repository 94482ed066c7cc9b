#include "profiling/sanitizing/bare_launch.h"

#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/device_buffers.h"
#include "profiling/driver/host_resources.h"
#include "profiling/driver/launcher.h"

namespace warptune::profiling::sanitizing {

std::optional<std::string> launch_bare(const kernel_templates::KernelInstance& instance,
                                       const model::NamedValues& configuration,
                                       const kernel_templates::CompiledKernel& compiled, int ordinal,
                                       std::uint64_t seed) {
  const auto plan = instance.screened_plan(configuration);
  if (!plan) return plan.error().reason;
  const auto resolved = instance.arguments(configuration);
  if (!resolved) return resolved.error().reason;
  const driver::Context context(ordinal);
  const driver::Stream stream = driver::make_stream();
  driver::DeviceArguments arguments(instance, seed, stream.get(), 0, driver::Guards::kNone);
  driver::HostResources resources(stream.get());
  try {
    auto loaded = driver::LoadedPlan::load(compiled, *plan, instance.gpu(), arguments.parameter_sizes(),
                                           *resolved, resources);
    if (!loaded) return loaded.error().reason;
    arguments.fit(*resolved);
    loaded->bind(arguments);
    arguments.restore();
    loaded->launch();
    WARPTUNE_CUDA(cuStreamSynchronize(stream.get()));
  } catch (const driver::CudaError& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace warptune::profiling::sanitizing
