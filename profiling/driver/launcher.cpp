// Makes a launch plan ready to run, and runs it.
//
// `load` loads the code and screens each kernel without launching it. `bind` takes the addresses of the
// arguments. If they are those of the last call, nothing changes. Otherwise it sets the kernels' parameters,
// fills the module's variables, and calls each library function once, because the first call takes longer. If
// the definition asks for a graph, the steps are then captured (CUDA driver API, "Stream Management" and
// "Graph Management").
//
// Steps run on streams 0 to n - 1. Stream 0 is the runner's, unless it has a priority of its own. At the
// beginning the other streams wait for an event of the runner's stream. At the end that waits for an event of
// each. So a plan behaves like one operation on the runner's stream, can be timed with events there, and can
// be captured from it. In a graph, the kernels have priorities, and the streams of the capture have none.
#include "profiling/driver/launcher.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <variant>

#include "profiling/driver/launch_screening.h"
#include "profiling/driver/managed_memory.h"

namespace warptune::profiling::driver {

using kernel_templates::LaunchStep;
using model::Rejection;
using model::Status;

model::Outcome<LoadedPlan> LoadedPlan::load(const kernel_templates::CompiledKernel& compiled,
                                            const kernel_templates::LaunchPlan& plan,
                                            const model::GpuDescription& gpu,
                                            const std::vector<std::size_t>& parameter_sizes,
                                            const std::vector<kernel_templates::ResolvedArgument>& resolved,
                                            HostResources& resources) {
  const auto reject = [](std::string reason) {
    return base::failure(Rejection{Status::kLaunchInvalid, std::move(reason)});
  };
  LaunchScreening screening(compiled, gpu, parameter_sizes, resolved);
  if (const auto fault = screening.managed_fault()) return reject(*fault);
  LoadedPlan loaded;
  loaded.resources_ = &resources;
  loaded.is_host_program_ = plan.host_program;
  loaded.is_timed_by_host_ = plan.timed_by_host;
  loaded.wants_graph_ = plan.graph;
  if (plan.main_launch() != nullptr)
    WARPTUNE_CUDA(cuModuleLoadData(loaded.module_.out(), compiled.cubin.data()));
  if (const auto fault = loaded.find_variables(compiled, resolved)) return reject(*fault);
  const base::Result<std::vector<int>> priorities = driver_priorities(plan.priorities);
  if (!priorities) return reject(priorities.error());
  if (plan.graph) loaded.node_priorities_ = *priorities;
  loaded.streams_ = resources.streams(plan.streams, plan.graph ? std::vector<int>{} : *priorities);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step step;
    step.numbers = plan.steps[i];
    if (const LaunchStep* launch = step.numbers.launch(); launch != nullptr) {
      const auto screened = screening.screen(loaded.module_.get(), *launch);
      if (!screened) return reject(screened.error());
      step.function = screened->function;
      loaded.is_cooperative_ |= launch->cooperative;
      if (i == plan.main) loaded.use_ = screened->use;
    } else if (std::holds_alternative<kernel_templates::MatrixProductStep>(step.numbers.action)) {
      try {
        resources.make_cublas(loaded.streams_[step.numbers.stream]);
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

std::optional<std::string> LoadedPlan::find_variables(
    const kernel_templates::CompiledKernel& compiled,
    const std::vector<kernel_templates::ResolvedArgument>& resolved) {
  for (std::size_t i = 0; module_ && i < resolved.size(); ++i) {
    const kernel_templates::ResolvedArgument& argument = resolved[i];
    if (argument.symbol.empty()) continue;
    Variable variable{i};
    std::size_t bytes = 0;
    const std::string& symbol = compiled.find_variable(kernel_templates::variable_of(argument.symbol));
    WARPTUNE_CUDA(cuModuleGetGlobal(&variable.address, &bytes, module_.get(), symbol.c_str()));
    if (static_cast<std::size_t>(argument.bytes()) > bytes) {
      return fmt::format("the variable {} has {} bytes, but its argument \"{}\" has {}", argument.symbol,
                         bytes, argument.name, argument.bytes());
    }
    variables_.push_back(variable);
  }
  return std::nullopt;
}

void LoadedPlan::fill_variables(const DeviceArguments& arguments) const {
  if (variables_.empty()) return;
  const CUstream stream = resources_->first();
  for (const Variable& variable : variables_) {
    WARPTUNE_CUDA(cuMemcpyDtoDAsync(variable.address, places_.at(variable.argument),
                                    arguments.all().at(variable.argument).bytes(), stream));
  }
  WARPTUNE_CUDA(cuStreamSynchronize(stream));
}

void LoadedPlan::bind(DeviceArguments& arguments) {
  std::vector<CUdeviceptr> places;
  std::vector<kernel_templates::Memory> memories;
  for (const DeviceArgument& argument : arguments.all()) {
    places.push_back(argument.pointer);
    memories.push_back(argument.argument.memory);
  }
  const bool is_bound = places == places_ && memories == memories_;
  const bool is_filled = contents_version_ == arguments.contents_version();
  contents_version_ = arguments.contents_version();
  if (is_bound && !is_filled) fill_variables(arguments);
  if (is_bound) return;
  places_ = std::move(places);
  memories_ = std::move(memories);
  offset_addresses_.clear();
  structs_.clear();
  for (Step& step : steps_) {
    if (step.numbers.launch() != nullptr) bind_parameters(step, arguments);
  }
  fill_variables(arguments);
  warm_up_calls();
  if (wants_graph_) capture();
}

void LoadedPlan::bind_parameters(Step& step, DeviceArguments& arguments) {
  const std::vector<void*> all = arguments.launch_parameters();
  const LaunchStep& launch = *step.numbers.launch();
  step.parameters.clear();
  if (!launch.arguments) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (arguments.all()[i].argument.symbol.empty()) step.parameters.push_back(all[i]);
    }
    return;
  }
  for (const kernel_templates::PassedArgument& passed : *launch.arguments) {
    if (!passed.argument) {  // A number or a struct. The driver only reads it.
      step.parameters.push_back(passed.addresses.empty() ? const_cast<std::byte*>(passed.value.data())
                                                         : add_struct(passed));
    } else if (passed.offset_bytes == 0) {
      step.parameters.push_back(all.at(*passed.argument));
    } else {
      offset_addresses_.push_back(places_.at(*passed.argument) +
                                  static_cast<CUdeviceptr>(passed.offset_bytes));
      step.parameters.push_back(&offset_addresses_.back());
    }
  }
}

std::byte* LoadedPlan::add_struct(const kernel_templates::PassedArgument& passed) {
  std::vector<std::byte>& bytes = structs_.emplace_back(passed.value);
  for (const kernel_templates::PassedAddress& one : passed.addresses) {
    const CUdeviceptr address = places_.at(one.argument) + static_cast<CUdeviceptr>(one.offset_bytes);
    std::memcpy(&bytes.at(one.at), &address, sizeof address);
  }
  return bytes.data();
}

void LoadedPlan::warm_up_calls() const {
  for (const Step& step : steps_) {
    if (std::holds_alternative<kernel_templates::MatrixProductStep>(step.numbers.action)) run(step);
  }
  for (const CUstream stream : streams_) WARPTUNE_CUDA(cuStreamSynchronize(stream));
}

void LoadedPlan::capture() {
  const CUstream first = resources_->first();
  Graph graph;
  graph_.reset();
  WARPTUNE_CUDA(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
  try {
    enqueue();
  } catch (...) {  // The stream must end its capture.
    cuda().cuStreamEndCapture(first, graph.out());
    throw;
  }
  WARPTUNE_CUDA(cuStreamEndCapture(first, graph.out()));
  const unsigned long long flags =
      node_priorities_.empty() ? 0 : std::uint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY};
  WARPTUNE_CUDA(cuGraphInstantiate(graph_.out(), graph.get(), flags));
  WARPTUNE_CUDA(cuGraphUpload(graph_.get(), first));
  WARPTUNE_CUDA(cuStreamSynchronize(first));
}

void LoadedPlan::launch() const {
  if (graph_) {
    WARPTUNE_CUDA(cuGraphLaunch(graph_.get(), resources_->first()));
  } else {
    enqueue();
  }
}

void LoadedPlan::launch_each(const StepCaller& call) const {
  if (graph_) {
    call([this] { launch(); });
  } else {
    enqueue(call);
  }
}

void LoadedPlan::enqueue(const StepCaller& call) const {
  const CUstream first = resources_->first();
  const auto is_other = [&](std::size_t i) { return streams_[i] != first; };
  if (streams_.size() > 1 || is_other(0)) WARPTUNE_CUDA(cuEventRecord(resources_->event(0), first));
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (is_other(i)) WARPTUNE_CUDA(cuStreamWaitEvent(streams_[i], resources_->event(0), 0));
  }
  for (const Step& step : steps_) {
    if (call)
      call([&] { run(step); });
    else
      run(step);
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (!is_other(i)) continue;
    WARPTUNE_CUDA(cuEventRecord(resources_->event(i), streams_[i]));
    WARPTUNE_CUDA(cuStreamWaitEvent(first, resources_->event(i), 0));
  }
}

namespace {

// Whether the address of a launch is also the host's address, and the memory never moves to the GPU.
bool on_host(kernel_templates::Memory memory) {
  return memory == kernel_templates::Memory::kPinned || memory == kernel_templates::Memory::kPageable;
}

void* host_pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// The driver finds out itself where write-combined and managed memory is.
void copy(CUdeviceptr to, kernel_templates::Memory to_memory, CUdeviceptr from,
          kernel_templates::Memory from_memory, std::size_t bytes, CUstream stream) {
  constexpr auto kDevice = kernel_templates::Memory::kDevice;
  if (on_host(from_memory) && to_memory == kDevice) {
    WARPTUNE_CUDA(cuMemcpyHtoDAsync(to, host_pointer(from), bytes, stream));
  } else if (from_memory == kDevice && on_host(to_memory)) {
    WARPTUNE_CUDA(cuMemcpyDtoHAsync(host_pointer(to), from, bytes, stream));
  } else if (from_memory == kDevice && to_memory == kDevice) {
    WARPTUNE_CUDA(cuMemcpyDtoDAsync(to, from, bytes, stream));
  } else {
    WARPTUNE_CUDA(cuMemcpyAsync(to, from, bytes, stream));
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
  const CUstream stream = streams_[step.numbers.stream];
  const auto address = [this](const kernel_templates::BufferRange& range) {
    return places_.at(range.buffer) + static_cast<CUdeviceptr>(range.offset_bytes);
  };
  const Overloaded action = {
      [&](const LaunchStep& launch) {
        const int priority = node_priorities_.empty() ? 0 : node_priorities_[step.numbers.stream];
        const LaunchConfig config(launch, stream, priority);
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
      [&](const kernel_templates::PrefetchStep& one) {
        prefetch(address(one.range), static_cast<std::size_t>(one.range.bytes), one.to, stream);
      },
      [&](const kernel_templates::MatrixProductStep& product) {
        multiply(resources_->cublas(stream), product, places_.at(product.a), places_.at(product.b),
                 places_.at(product.c));
      },
      [&](const kernel_templates::WaitStep& wait) {
        WARPTUNE_CUDA(cuEventRecord(resources_->event(wait.stream), streams_[wait.stream]));
        WARPTUNE_CUDA(cuStreamWaitEvent(stream, resources_->event(wait.stream), 0));
      },
      [&](const kernel_templates::AllocateStep& one) {
        const auto bytes = static_cast<std::size_t>(one.bytes);
        one.from_pool ? allocate_and_free_from_pool(bytes, stream) : allocate_and_free(bytes);
      },
      [&](const kernel_templates::SynchroniseStep&) {
        for (const CUstream one : streams_) WARPTUNE_CUDA(cuStreamSynchronize(one));
      }};
  std::visit(action, step.numbers.action);
}

}  // namespace warptune::profiling::driver
