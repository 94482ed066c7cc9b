#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "model/measurement.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/device_buffers.h"
#include "profiling/driver/host_resources.h"

namespace warptune::profiling::driver {

/// A launch plan whose code is on the device and ready to run.
class LoadedPlan {
 public:
  /// Loads the code and screens it with the driver's data: parameters, threads, shared memory, occupancy. It
  /// launches nothing. `parameter_sizes` and `resolved` must describe all arguments. `resources` must outlive
  /// the plan. Throws `CudaError` when the driver refuses the code.
  static model::Outcome<LoadedPlan> load(const kernel_templates::CompiledKernel& compiled,
                                         const kernel_templates::LaunchPlan& plan,
                                         const model::GpuDescription& gpu,
                                         const std::vector<std::size_t>& parameter_sizes,
                                         const std::vector<kernel_templates::ResolvedArgument>& resolved,
                                         HostResources& resources);

  /// Takes the addresses of the arguments, which must have been adapted to this plan's configuration
  /// (`DeviceArguments::fit`). If they changed, it fills the module's variables, runs library calls once,
  /// because the first call takes longer, and makes the graph again. It may overwrite arguments, so it must
  /// be called before they get their initial contents. Throws `CudaError`.
  void bind(DeviceArguments& arguments);
  /// Enqueues all steps with the arguments of the last `bind`. Steps on other streams begin after the earlier
  /// work of the first stream, and its later work begins after them. Throws `CudaError`.
  void launch() const;
  /// Calls a function that enqueues a step, exactly once.
  using StepCaller = std::function<void(const std::function<void()>& enqueue)>;
  /// As `launch`, but `call` enqueues each step, in their order, or the graph as a whole. Throws `CudaError`
  /// and what `call` throws.
  void launch_each(const StepCaller& call) const;
  /// The resources of the main step. They are empty if the plan launches no kernel.
  const model::ResourceUse& resources() const { return use_; }
  /// Whether the time of submitting is part of the plan's time.
  bool is_timed_by_host() const { return is_timed_by_host_; }
  bool is_host_program() const { return is_host_program_; }
  /// Whether all steps form one CUDA graph.
  bool is_graph() const { return wants_graph_; }
  /// Whether the plan has something that a profiler may refuse: a cooperative launch, or a host program with
  /// any steps, such as graphs.
  bool profiler_may_refuse() const { return is_host_program_ || is_cooperative_; }

 private:
  struct Step {
    kernel_templates::PlanStep numbers;
    CUfunction function = nullptr;
    std::vector<void*> parameters;  ///< The parameters of a kernel, set by `bind`.
  };

  std::optional<std::string> find_variables(const kernel_templates::CompiledKernel& compiled,
                                            const std::vector<kernel_templates::ResolvedArgument>& resolved);
  void fill_variables(const DeviceArguments& arguments) const;
  void bind_parameters(Step& step, DeviceArguments& arguments);
  /// Returns the place of a struct in which the addresses are those of the buffers.
  std::byte* add_struct(const kernel_templates::PassedArgument& passed);
  void warm_up_calls() const;
  void capture();
  void enqueue(const StepCaller& call = {}) const;
  void run(const Step& step) const;

  /// A variable of the module into which an argument is copied.
  struct Variable {
    std::size_t argument = 0;
    CUdeviceptr address = 0;
  };

  Module module_;
  std::vector<Variable> variables_;
  std::vector<Step> steps_;
  model::ResourceUse use_;
  HostResources* resources_ = nullptr;
  std::vector<CUstream> streams_;
  std::vector<int> node_priorities_;  ///< In a graph: those of the kernels on each stream. Otherwise empty.
  bool is_host_program_ = false;
  bool is_timed_by_host_ = false;
  bool is_cooperative_ = false;
  bool wants_graph_ = false;
  std::vector<CUdeviceptr> places_;                 ///< The addresses of all arguments, from `bind`.
  std::vector<kernel_templates::Memory> memories_;  ///< The kinds of memory of all arguments, from `bind`.
  /// The version of the inputs from which the variables were filled.
  std::uint64_t contents_version_ = 0;
  /// Addresses inside of buffers that kernels get as arguments.
  std::deque<CUdeviceptr> offset_addresses_;
  std::deque<std::vector<std::byte>> structs_;  ///< Structs with addresses that kernels get as arguments.
  ExecutableGraph graph_;
};

}  // namespace warptune::profiling::driver
