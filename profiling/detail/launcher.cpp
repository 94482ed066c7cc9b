#include "profiling/detail/launcher.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace warptune::profiling::detail {

using kernel_templates::LaunchStep;
using search::Rejection;
using search::ResourceUse;
using search::Status;

namespace {

std::int64_t product(const std::array<std::int64_t, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

std::int64_t attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  WARPTUNE_CUDA(cuFuncGetAttribute(&value, which, function));
  return value;
}

/// A launch's configuration; the cluster attribute lives in the same object.
struct LaunchConfig {
  CUlaunchConfig config{};
  CUlaunchAttribute cluster{};

  LaunchConfig(const LaunchStep& step, CUstream stream) {
    config.gridDimX = static_cast<unsigned>(step.grid[0]);
    config.gridDimY = static_cast<unsigned>(step.grid[1]);
    config.gridDimZ = static_cast<unsigned>(step.grid[2]);
    config.blockDimX = static_cast<unsigned>(step.block[0]);
    config.blockDimY = static_cast<unsigned>(step.block[1]);
    config.blockDimZ = static_cast<unsigned>(step.block[2]);
    config.sharedMemBytes = static_cast<unsigned>(step.shared_bytes);
    config.hStream = stream;
    if (product(step.cluster) > 1) {
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim.x = static_cast<unsigned>(step.cluster[0]);
      cluster.value.clusterDim.y = static_cast<unsigned>(step.cluster[1]);
      cluster.value.clusterDim.z = static_cast<unsigned>(step.cluster[2]);
      config.attrs = &cluster;
      config.numAttrs = 1;
    }
  }
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
};

/// Why the entry's parameters are not the arguments; the driver reads past the list when there are more.
std::optional<std::string> parameter_fault(CUfunction function, const LaunchStep& step,
                                           const std::vector<std::size_t>& sizes) {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t taken = 0;
  while (taken <= sizes.size() &&
         cuda().cuFuncGetParamInfo(function, taken, &offset, &size) == CUDA_SUCCESS) {
    if (taken < sizes.size() && size != sizes[taken]) {
      return fmt::format("parameter {} of {} takes {} bytes, its argument has {}", taken + 1, step.entry,
                         size, sizes[taken]);
    }
    ++taken;
  }
  if (taken == sizes.size()) return std::nullopt;
  return fmt::format("{} takes {} parameters, the definition has {} arguments", step.entry,
                     taken > sizes.size() ? "more" : fmt::format("{}", taken), sizes.size());
}

ResourceUse query_resources(CUfunction function, const LaunchStep& step) {
  ResourceUse use;
  use.registers_per_thread = attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  use.static_shared_bytes = attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  use.local_bytes = attribute(function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  use.dynamic_shared_bytes = step.shared_bytes;
  use.threads_per_block = product(step.block);
  use.blocks = product(step.grid);
  return use;
}

std::optional<std::string> resource_fault(CUfunction function, const LaunchStep& step, const ResourceUse& use,
                                          const search::GpuDescription& gpu) {
  const std::int64_t most_threads = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (use.threads_per_block > most_threads) {
    return fmt::format("{} threads a block: {} can run with {} at most ({} registers a thread)",
                       use.threads_per_block, step.entry, most_threads, use.registers_per_thread);
  }
  const std::int64_t shared = use.static_shared_bytes + use.dynamic_shared_bytes;
  if (shared > gpu.shared_bytes_per_block_optin) {
    return fmt::format("{} bytes of shared memory a block ({} static, {} dynamic): the GPU has {}", shared,
                       use.static_shared_bytes, use.dynamic_shared_bytes, gpu.shared_bytes_per_block_optin);
  }
  return std::nullopt;
}

/// Blocks an SM holds at once; 0 also where a cluster finds no place.
std::int64_t resident_blocks(CUfunction function, const LaunchStep& step) {
  int blocks = 0;
  WARPTUNE_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function, static_cast<int>(product(step.block)), static_cast<std::size_t>(step.shared_bytes)));
  if (blocks > 0 && product(step.cluster) > 1) {
    const LaunchConfig config(step, nullptr);
    int clusters = 0;
    WARPTUNE_CUDA(cuOccupancyMaxActiveClusters(&clusters, function, &config.config));
    if (clusters == 0) return 0;
  }
  return blocks;
}

}  // namespace

search::Outcome<LoadedPlan> LoadedPlan::load(const kernel_templates::CompiledKernel& compiled,
                                             const kernel_templates::LaunchPlan& plan,
                                             const search::GpuDescription& gpu,
                                             const std::vector<std::size_t>& parameter_sizes) {
  LoadedPlan loaded;
  WARPTUNE_CUDA(cuModuleLoadData(loaded.module_.out(), compiled.cubin.data()));
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const LaunchStep& step = plan.steps[i];
    CUfunction function = nullptr;
    WARPTUNE_CUDA(cuModuleGetFunction(&function, loaded.module_.get(),
                                      compiled.find_entry(step.entry).lowered_name.c_str()));
    if (const auto fault = parameter_fault(function, step, parameter_sizes)) {
      return base::failure(Rejection{Status::kLaunchInvalid, *fault});
    }
    ResourceUse use = query_resources(function, step);
    if (const auto fault = resource_fault(function, step, use, gpu)) {
      return base::failure(Rejection{Status::kLaunchInvalid, *fault});
    }
    if (step.shared_bytes > 0) {
      WARPTUNE_CUDA(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(step.shared_bytes)));
    }
    if (product(step.cluster) > 8) {
      WARPTUNE_CUDA(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    }
    use.blocks_per_sm = resident_blocks(function, step);
    if (use.blocks_per_sm == 0) {
      return base::failure(Rejection{
          Status::kLaunchInvalid,
          fmt::format(
              "no block of {} fits an SM: {} threads with {} registers each, {} bytes of shared memory{}",
              step.entry, use.threads_per_block, use.registers_per_thread,
              use.static_shared_bytes + use.dynamic_shared_bytes,
              product(step.cluster) > 1 ? fmt::format(", clusters of {}", product(step.cluster)) : "")});
    }
    const std::int64_t warps = (use.threads_per_block + gpu.warp_size - 1) / gpu.warp_size;
    use.theoretical_occupancy = static_cast<double>(use.blocks_per_sm * warps * gpu.warp_size) /
                                static_cast<double>(gpu.max_threads_per_sm);
    if (i == plan.main) loaded.resources_ = use;
    loaded.steps_.push_back({step, function});
  }
  return loaded;
}

void LoadedPlan::launch(CUstream stream, void** parameters) const {
  for (const Step& step : steps_) {
    const LaunchConfig config(step.numbers, stream);
    check_cuda(cuda().cuLaunchKernelEx(&config.config, step.function, parameters, nullptr),
               step.numbers.entry.c_str());
  }
}

}  // namespace warptune::profiling::detail
