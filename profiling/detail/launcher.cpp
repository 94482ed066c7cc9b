#include "profiling/detail/launcher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>

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

/// A launch's configuration; its attributes live in the same object.
struct LaunchConfig {
  CUlaunchConfig config{};
  std::array<CUlaunchAttribute, 2> attributes{};

  LaunchConfig(const LaunchStep& step, CUstream stream) {
    config.gridDimX = static_cast<unsigned>(step.grid[0]);
    config.gridDimY = static_cast<unsigned>(step.grid[1]);
    config.gridDimZ = static_cast<unsigned>(step.grid[2]);
    config.blockDimX = static_cast<unsigned>(step.block[0]);
    config.blockDimY = static_cast<unsigned>(step.block[1]);
    config.blockDimZ = static_cast<unsigned>(step.block[2]);
    config.sharedMemBytes = static_cast<unsigned>(step.shared_bytes);
    config.hStream = stream;
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
  return fmt::format("{} takes {} parameters, {} has {} arguments", step.entry,
                     taken > sizes.size() ? "more" : fmt::format("{}", taken),
                     step.arguments ? "its step" : "the definition", sizes.size());
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

/// Loads the steps of a plan one after another; launches that are alike are screened once.
class LoadedPlan::Loader {
 public:
  Loader(const kernel_templates::CompiledKernel& compiled, const search::GpuDescription& gpu,
         const std::vector<std::size_t>& parameter_sizes,
         const std::vector<kernel_templates::ResolvedArgument>& resolved)
      : compiled_(compiled), gpu_(gpu), parameter_sizes_(parameter_sizes), resolved_(resolved) {}

  /// The function of a launch and what it uses, or why it cannot run.
  struct Screened {
    CUfunction function = nullptr;
    ResourceUse use;
  };
  base::Result<Screened> screen(CUmodule module, const LaunchStep& step) {
    const std::vector<std::size_t> sizes = sizes_of(step);
    const std::string key =
        fmt::format("{} {} {} {} {} {} {}", step.entry, fmt::join(step.grid, " "), fmt::join(step.block, " "),
                    fmt::join(step.cluster, " "), step.shared_bytes, step.cooperative, fmt::join(sizes, " "));
    if (const auto known = screened_.find(key); known != screened_.end()) return known->second;
    Screened screened;
    WARPTUNE_CUDA(cuModuleGetFunction(&screened.function, module,
                                      compiled_.find_entry(step.entry).lowered_name.c_str()));
    if (auto fault = parameter_fault(screened.function, step, sizes)) return base::failure(*fault);
    if (auto fault = memory_fault(step)) return base::failure(*fault);
    screened.use = query_resources(screened.function, step);
    if (auto fault = resource_fault(screened.function, step, screened.use, gpu_))
      return base::failure(*fault);
    set_attributes(screened.function, step);
    if (auto fault = occupancy_fault(screened.function, step, screened.use)) return base::failure(*fault);
    screened_.emplace(key, screened);
    return screened;
  }

 private:
  std::vector<std::size_t> sizes_of(const LaunchStep& step) const {
    if (!step.arguments) return parameter_sizes_;
    std::vector<std::size_t> sizes;
    for (const kernel_templates::PassedArgument& passed : *step.arguments)
      sizes.push_back(passed.argument ? parameter_sizes_.at(*passed.argument) : passed.value.size());
    return sizes;
  }

  std::optional<std::string> memory_fault(const LaunchStep& step) const {
    if (pageable_access()) return std::nullopt;
    for (std::size_t i = 0; i < resolved_.size(); ++i) {
      if (resolved_[i].memory != kernel_templates::Memory::kPageable) continue;
      const bool passed = !step.arguments || std::any_of(step.arguments->begin(), step.arguments->end(),
                                                         [&](const auto& one) { return one.argument == i; });
      if (passed) {
        return fmt::format("{} gets \"{}\", which lies in pageable memory: this GPU cannot read it",
                           step.entry, resolved_[i].name);
      }
    }
    return std::nullopt;
  }

  static bool pageable_access() {
    CUdevice device = 0;
    int access = 0;
    WARPTUNE_CUDA(cuCtxGetDevice(&device));
    WARPTUNE_CUDA(cuDeviceGetAttribute(&access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, device));
    return access != 0;
  }

  // Of several launches of one function the largest counts.
  void set_attributes(CUfunction function, const LaunchStep& step) {
    std::int64_t& shared = shared_bytes_[function];
    if (step.shared_bytes > shared) {
      shared = step.shared_bytes;
      WARPTUNE_CUDA(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(shared)));
    }
    if (product(step.cluster) > 8)
      WARPTUNE_CUDA(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  }

  std::optional<std::string> occupancy_fault(CUfunction function, const LaunchStep& step,
                                             ResourceUse& use) const {
    use.blocks_per_sm = resident_blocks(function, step);
    if (use.blocks_per_sm == 0) {
      return fmt::format(
          "no block of {} fits an SM: {} threads with {} registers each, {} bytes of shared memory{}",
          step.entry, use.threads_per_block, use.registers_per_thread,
          use.static_shared_bytes + use.dynamic_shared_bytes,
          product(step.cluster) > 1 ? fmt::format(", clusters of {}", product(step.cluster)) : "");
    }
    const std::int64_t resident = use.blocks_per_sm * gpu_.sm_count;
    if (step.cooperative && use.blocks > resident) {
      return fmt::format(
          "{} is cooperative, so that its {} blocks must all be resident at once: {} are ({} on each of {} "
          "SMs)",
          step.entry, use.blocks, resident, use.blocks_per_sm, gpu_.sm_count);
    }
    const std::int64_t warps = (use.threads_per_block + gpu_.warp_size - 1) / gpu_.warp_size;
    use.theoretical_occupancy = static_cast<double>(use.blocks_per_sm * warps * gpu_.warp_size) /
                                static_cast<double>(gpu_.max_threads_per_sm);
    return std::nullopt;
  }

  const kernel_templates::CompiledKernel& compiled_;
  const search::GpuDescription& gpu_;
  const std::vector<std::size_t>& parameter_sizes_;
  const std::vector<kernel_templates::ResolvedArgument>& resolved_;
  std::map<std::string, Screened> screened_;
  std::map<CUfunction, std::int64_t> shared_bytes_;
};

search::Outcome<LoadedPlan> LoadedPlan::load(const kernel_templates::CompiledKernel& compiled,
                                             const kernel_templates::LaunchPlan& plan,
                                             const search::GpuDescription& gpu,
                                             const std::vector<std::size_t>& parameter_sizes,
                                             const std::vector<kernel_templates::ResolvedArgument>& resolved,
                                             HostResources& resources) {
  const auto reject = [](std::string reason) {
    return base::failure(Rejection{Status::kLaunchInvalid, std::move(reason)});
  };
  LoadedPlan loaded;
  loaded.resources_ = &resources;
  loaded.streams_ = plan.streams;
  loaded.is_host_program_ = plan.host_program;
  loaded.wants_graph_ = plan.graph;
  if (plan.main_launch() != nullptr)
    WARPTUNE_CUDA(cuModuleLoadData(loaded.module_.out(), compiled.cubin.data()));
  resources.make_streams(plan.streams);
  Loader loader(compiled, gpu, parameter_sizes, resolved);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step step;
    step.numbers = plan.steps[i];
    if (const LaunchStep* launch = step.numbers.launch(); launch != nullptr) {
      const auto screened = loader.screen(loaded.module_.get(), *launch);
      if (!screened) return reject(screened.error());
      step.function = screened->function;
      loaded.is_cooperative_ |= launch->cooperative;
      if (i == plan.main) loaded.use_ = screened->use;
    } else if (std::holds_alternative<kernel_templates::MatrixProductStep>(step.numbers.action)) {
      try {
        resources.make_cublas(step.numbers.stream);
      } catch (const CudaError&) {
        throw;
      } catch (const base::MachineError& error) {
        return reject(error.what());
      }
    }
    loaded.steps_.push_back(std::move(step));
  }
  return loaded;
}

void LoadedPlan::bind(DeviceArguments& arguments) {
  std::vector<CUdeviceptr> places;
  std::vector<kernel_templates::Memory> memories;
  for (const DeviceArgument& argument : arguments.all()) {
    places.push_back(argument.pointer);
    memories.push_back(argument.argument.memory);
  }
  if (places == places_ && memories == memories_) return;
  places_ = std::move(places);
  memories_ = std::move(memories);
  shifted_.clear();
  for (Step& step : steps_) {
    if (step.numbers.launch() != nullptr) bind_parameters(step, arguments);
  }
  warm_up_calls();
  if (wants_graph_) capture();
}

void LoadedPlan::bind_parameters(Step& step, DeviceArguments& arguments) {
  const std::vector<void*> all = arguments.launch_parameters();
  const LaunchStep& launch = *step.numbers.launch();
  step.parameters = all;
  if (!launch.arguments) return;
  step.parameters.clear();
  for (const kernel_templates::PassedArgument& passed : *launch.arguments) {
    if (!passed.argument) {  // The driver reads it only.
      step.parameters.push_back(const_cast<std::byte*>(passed.value.data()));
    } else if (passed.offset_bytes == 0) {
      step.parameters.push_back(all.at(*passed.argument));
    } else {
      shifted_.push_back(places_.at(*passed.argument) + static_cast<CUdeviceptr>(passed.offset_bytes));
      step.parameters.push_back(&shifted_.back());
    }
  }
}

void LoadedPlan::warm_up_calls() const {
  for (const Step& step : steps_) {
    if (std::holds_alternative<kernel_templates::MatrixProductStep>(step.numbers.action)) run(step);
  }
  for (std::size_t i = 0; i < streams_; ++i) WARPTUNE_CUDA(cuStreamSynchronize(resources_->stream(i)));
}

void LoadedPlan::capture() {
  const CUstream first = resources_->stream(0);
  Graph graph;
  graph_.reset();
  WARPTUNE_CUDA(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
  try {
    enqueue();
  } catch (...) {  // The stream must leave the capture.
    cuda().cuStreamEndCapture(first, graph.out());
    throw;
  }
  WARPTUNE_CUDA(cuStreamEndCapture(first, graph.out()));
  WARPTUNE_CUDA(cuGraphInstantiate(graph_.out(), graph.get(), 0));
  WARPTUNE_CUDA(cuGraphUpload(graph_.get(), first));
  WARPTUNE_CUDA(cuStreamSynchronize(first));
}

void LoadedPlan::launch() const {
  if (graph_) {
    WARPTUNE_CUDA(cuGraphLaunch(graph_.get(), resources_->stream(0)));
  } else {
    enqueue();
  }
}

void LoadedPlan::enqueue() const {
  if (streams_ > 1) {
    WARPTUNE_CUDA(cuEventRecord(resources_->event(0), resources_->stream(0)));
    for (std::size_t i = 1; i < streams_; ++i)
      WARPTUNE_CUDA(cuStreamWaitEvent(resources_->stream(i), resources_->event(0), 0));
  }
  for (const Step& step : steps_) run(step);
  for (std::size_t i = 1; i < streams_; ++i) {
    WARPTUNE_CUDA(cuEventRecord(resources_->event(i), resources_->stream(i)));
    WARPTUNE_CUDA(cuStreamWaitEvent(resources_->stream(0), resources_->event(i), 0));
  }
}

namespace {

bool on_host(kernel_templates::Memory memory) { return memory != kernel_templates::Memory::kDevice; }

void* host_pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

void copy(CUdeviceptr to, kernel_templates::Memory to_memory, CUdeviceptr from,
          kernel_templates::Memory from_memory, std::size_t bytes, CUstream stream) {
  if (on_host(from_memory) && on_host(to_memory)) {
    WARPTUNE_CUDA(cuMemcpyAsync(to, from, bytes, stream));
  } else if (on_host(from_memory)) {
    WARPTUNE_CUDA(cuMemcpyHtoDAsync(to, host_pointer(from), bytes, stream));
  } else if (on_host(to_memory)) {
    WARPTUNE_CUDA(cuMemcpyDtoHAsync(host_pointer(to), from, bytes, stream));
  } else {
    WARPTUNE_CUDA(cuMemcpyDtoDAsync(to, from, bytes, stream));
  }
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

void LoadedPlan::run(const Step& step) const {
  const CUstream stream = resources_->stream(step.numbers.stream);
  const auto address = [this](const kernel_templates::BufferRange& range) {
    return places_.at(range.buffer) + static_cast<CUdeviceptr>(range.offset_bytes);
  };
  const Overloaded action = {
      [&](const LaunchStep& launch) {
        const LaunchConfig config(launch, stream);
        check_cuda(cuda().cuLaunchKernelEx(&config.config, step.function,
                                           const_cast<void**>(step.parameters.data()), nullptr),
                   launch.entry.c_str());
      },
      [&](const kernel_templates::CopyStep& one) {
        copy(address(one.to), memories_.at(one.to.buffer), address(one.from), memories_.at(one.from.buffer),
             static_cast<std::size_t>(one.from.bytes), stream);
      },
      [&](const kernel_templates::FillStep& fill) {
        WARPTUNE_CUDA(cuMemsetD8Async(address(fill.range), fill.byte,
                                      static_cast<std::size_t>(fill.range.bytes), stream));
      },
      [&](const kernel_templates::MatrixProductStep& product) {
        multiply(resources_->cublas(step.numbers.stream), product, places_.at(product.a),
                 places_.at(product.b), places_.at(product.c));
      },
      [&](const kernel_templates::WaitStep& wait) {
        WARPTUNE_CUDA(cuEventRecord(resources_->event(wait.stream), resources_->stream(wait.stream)));
        WARPTUNE_CUDA(cuStreamWaitEvent(stream, resources_->event(wait.stream), 0));
      },
      [&](const kernel_templates::SynchroniseStep&) {
        for (std::size_t i = 0; i < streams_; ++i) WARPTUNE_CUDA(cuStreamSynchronize(resources_->stream(i)));
      }};
  std::visit(action, step.numbers.action);
}

}  // namespace warptune::profiling::detail
