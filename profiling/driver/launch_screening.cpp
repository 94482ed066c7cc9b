// Rejects launches that cannot work, before they are launched. After a launch that fails, the context can be
// unusable, and the worker would have to be restarted.
//
// First the sizes of the parameters are compared with those of the arguments. Then the threads and the shared
// memory of a block are compared with their limits. A kernel must not get pageable memory if this GPU cannot
// read it, nor managed memory if pages cannot move while this GPU works. At least one block or cluster must
// fit into an SM, and all blocks of a cooperative launch must be resident at once. The driver answers these
// questions from the compiled code (CUDA driver API, cuFuncGetParamInfo, cuFuncGetAttribute,
// cuOccupancyMaxActiveBlocksPerMultiprocessor and cuOccupancyMaxActiveClusters).
#include "profiling/driver/launch_screening.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiling/driver/helper_program.h"
#include "profiling/driver/managed_memory.h"

namespace warptune::profiling::driver {

using kernel_templates::LaunchStep;
using model::ResourceUse;

namespace {

std::int64_t product(const std::array<std::int64_t, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

std::int64_t attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  WARPTUNE_CUDA(cuFuncGetAttribute(&value, which, function));
  return value;
}

/// Returns why the kernel's parameters do not match its arguments. If the kernel had more parameters, the
/// driver would read beyond the list of arguments.
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
  return fmt::format("{} takes {} parameters, {} has {} arguments", step.entry,
                     taken > sizes.size() ? "more" : fmt::format("{}", taken),
                     step.arguments ? "its launch" : "the definition", sizes.size());
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
                                          const model::GpuDescription& gpu) {
  const std::int64_t max_threads = attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (use.threads_per_block > max_threads) {
    return fmt::format("{} threads per block: {} can run with at most {} ({} registers per thread)",
                       use.threads_per_block, step.entry, max_threads, use.registers_per_thread);
  }
  const std::int64_t shared = use.static_shared_bytes + use.dynamic_shared_bytes;
  if (shared > gpu.shared_bytes_per_block_optin) {
    return fmt::format("{} bytes of shared memory per block ({} static, {} dynamic): the GPU has {}", shared,
                       use.static_shared_bytes, use.dynamic_shared_bytes, gpu.shared_bytes_per_block_optin);
  }
  return std::nullopt;
}

/// Returns the number of blocks that an SM can hold at once. It is also 0 when no cluster fits into the GPU.
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

bool device_has(CUdevice_attribute ability) {
  CUdevice device = 0;
  int value = 0;
  WARPTUNE_CUDA(cuCtxGetDevice(&device));
  WARPTUNE_CUDA(cuDeviceGetAttribute(&value, ability, device));
  return value != 0;
}

}  // namespace

LaunchConfig::LaunchConfig(const LaunchStep& step, CUstream stream, int priority) {
  config = launch_config(step.grid, step.block, step.shared_bytes, stream);
  config.attrs = attributes.data();
  if (product(step.cluster) > 1) {
    CUlaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = static_cast<unsigned>(step.cluster[0]);
    cluster.value.clusterDim.y = static_cast<unsigned>(step.cluster[1]);
    cluster.value.clusterDim.z = static_cast<unsigned>(step.cluster[2]);
  }
  if (step.cooperative) {
    CUlaunchAttribute& cooperative = attributes[config.numAttrs++];
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
  }
  if (step.cluster_scheduling != kernel_templates::ClusterScheduling::kDefault) {
    CUlaunchAttribute& scheduling = attributes[config.numAttrs++];
    scheduling.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
    scheduling.value.clusterSchedulingPolicyPreference =
        step.cluster_scheduling == kernel_templates::ClusterScheduling::kSpread
            ? CU_CLUSTER_SCHEDULING_POLICY_SPREAD
            : CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
  }
  if (priority != 0) {
    CUlaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attribute.value.priority = priority;
  }
}

LaunchScreening::LaunchScreening(const kernel_templates::CompiledKernel& compiled,
                                 const model::GpuDescription& gpu,
                                 const std::vector<std::size_t>& parameter_sizes,
                                 const std::vector<kernel_templates::ResolvedArgument>& resolved)
    : compiled_(compiled),
      gpu_(gpu),
      parameter_sizes_(parameter_sizes),
      resolved_(resolved),
      reads_pageable_(device_has(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)),
      moves_pages_(moves_managed_pages()) {}

base::Result<LaunchScreening::Screened> LaunchScreening::screen(CUmodule module, const LaunchStep& step) {
  const std::vector<std::size_t> sizes = sizes_of(step);
  const std::string key = fmt::format("{} {} {} {} {} {} {} {} {}", step.entry, fmt::join(step.grid, " "),
                                      fmt::join(step.block, " "), fmt::join(step.cluster, " "),
                                      step.shared_bytes, step.cooperative, step.carveout.value_or(-1),
                                      static_cast<int>(step.cluster_scheduling), fmt::join(sizes, " "));
  if (auto fault = memory_fault(step)) return base::failure(*fault);
  if (const auto known = screened_.find(key); known != screened_.end()) return known->second;
  Screened screened;
  WARPTUNE_CUDA(
      cuModuleGetFunction(&screened.function, module, compiled_.find_entry(step.entry).lowered_name.c_str()));
  if (auto fault = parameter_fault(screened.function, step, sizes)) return base::failure(*fault);
  screened.use = query_resources(screened.function, step);
  if (auto fault = resource_fault(screened.function, step, screened.use, gpu_)) return base::failure(*fault);
  if (auto fault = carveout_fault(screened.function, step)) return base::failure(*fault);
  set_attributes(screened.function, step);
  if (auto fault = occupancy_fault(screened.function, step, screened.use)) return base::failure(*fault);
  screened_.emplace(key, screened);
  return screened;
}

std::vector<std::size_t> LaunchScreening::sizes_of(const LaunchStep& step) const {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; !step.arguments && i < parameter_sizes_.size(); ++i) {
    if (resolved_[i].symbol.empty()) sizes.push_back(parameter_sizes_[i]);
  }
  if (!step.arguments) return sizes;
  for (const kernel_templates::PassedArgument& passed : *step.arguments)
    sizes.push_back(passed.argument ? parameter_sizes_.at(*passed.argument) : passed.value.size());
  return sizes;
}

std::optional<std::string> LaunchScreening::managed_fault() const {
  for (const kernel_templates::ResolvedArgument& argument : resolved_) {
    if (argument.memory != kernel_templates::Memory::kManaged || moves_pages_) continue;
    return fmt::format(
        "\"{}\" is in managed memory, which the host and this GPU cannot access at the same time",
        argument.name);
  }
  return std::nullopt;
}

std::optional<std::string> LaunchScreening::memory_fault(const LaunchStep& step) const {
  if (auto fault = managed_fault()) return fault;
  for (std::size_t i = 0; i < resolved_.size(); ++i) {
    if (resolved_[i].memory != kernel_templates::Memory::kPageable || reads_pageable_) continue;
    const bool passed = !step.arguments || std::any_of(step.arguments->begin(), step.arguments->end(),
                                                       [&](const auto& one) { return one.passes(i); });
    if (passed) {
      return fmt::format("{} gets \"{}\", which is in pageable memory: this GPU cannot read it", step.entry,
                         resolved_[i].name);
    }
  }
  return std::nullopt;
}

// The share belongs to the function, so all launches of a kernel have the same.
std::optional<std::string> LaunchScreening::carveout_fault(CUfunction function, const LaunchStep& step) {
  const auto [known, is_new] = carveouts_.try_emplace(function, step.carveout);
  if (is_new || known->second == step.carveout) return std::nullopt;
  return fmt::format("the launches of {} have different values of carveout", step.entry);
}

void LaunchScreening::set_attributes(CUfunction function, const LaunchStep& step) {
  std::int64_t& shared = shared_bytes_[function];
  if (step.shared_bytes > shared) {
    shared = step.shared_bytes;
    WARPTUNE_CUDA(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(shared)));
  }
  if (step.carveout) {
    WARPTUNE_CUDA(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, *step.carveout));
  }
  if (product(step.cluster) > 8)
    WARPTUNE_CUDA(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
}

std::optional<std::string> LaunchScreening::occupancy_fault(CUfunction function, const LaunchStep& step,
                                                            ResourceUse& use) const {
  const std::int64_t blocks_per_sm = resident_blocks(function, step);
  if (blocks_per_sm == 0) {
    return fmt::format(
        "no block of {} fits into an SM: {} threads with {} registers each, {} bytes of shared memory{}",
        step.entry, use.threads_per_block, use.registers_per_thread,
        use.static_shared_bytes + use.dynamic_shared_bytes,
        product(step.cluster) > 1 ? fmt::format(", clusters of {}", product(step.cluster)) : "");
  }
  use.blocks_per_sm = blocks_per_sm;
  const std::int64_t resident = blocks_per_sm * gpu_.sm_count;
  if (step.cooperative && use.blocks > resident) {
    return fmt::format(
        "{} is cooperative, so its {} blocks must all be resident at once: only {} can be ({} on each of {} "
        "SMs)",
        step.entry, use.blocks, resident, blocks_per_sm, gpu_.sm_count);
  }
  const std::int64_t warps = (use.threads_per_block + gpu_.warp_size - 1) / gpu_.warp_size;
  use.theoretical_occupancy = static_cast<double>(blocks_per_sm * warps * gpu_.warp_size) /
                              static_cast<double>(gpu_.max_threads_per_sm);
  return std::nullopt;
}

}  // namespace warptune::profiling::driver
