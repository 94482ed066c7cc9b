#pragma once

#include <cstddef>
#include <deque>
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

/// A launch plan with its code on the device, ready to run.
class LoadedPlan {
 public:
  /// Loads and screens by what the driver knows: parameters, threads, shared memory, occupancy. No launch.
  /// `parameter_sizes` and `resolved` are of all arguments. Throws `CudaError` when the driver refuses the
  /// code. `resources` must outlive the plan.
  static model::Outcome<LoadedPlan> load(const kernel_templates::CompiledKernel& compiled,
                                         const kernel_templates::LaunchPlan& plan,
                                         const model::GpuDescription& gpu,
                                         const std::vector<std::size_t>& parameter_sizes,
                                         const std::vector<kernel_templates::ResolvedArgument>& resolved,
                                         HostResources& resources);

  /// Takes the places of the arguments, fitted to this plan's configuration; where they changed, fills the
  /// module's variables, runs library calls once, since the first takes longer, and makes the graph anew. To
  /// be called before the arguments get their first contents. Throws `CudaError`.
  void bind(DeviceArguments& arguments);
  /// Enqueues all steps, as bound; those on other streams begin after what stands on the first, which then
  /// waits for them. Throws `CudaError`.
  void launch() const;
  /// Of the main step; of no kernel where the plan launches none.
  const model::ResourceUse& resources() const { return use_; }
  /// Whether what submitting takes is part of its time.
  bool is_timed_by_host() const { return is_timed_by_host_; }
  bool is_host_program() const { return is_host_program_; }
  /// Whether it does what a profiler may refuse: graphs, cooperative launches, anything of a host program.
  bool may_elude_counting() const { return is_host_program_ || is_cooperative_; }

 private:
  struct Step {
    kernel_templates::PlanStep numbers;
    CUfunction function = nullptr;
    std::vector<void*> parameters;  ///< Of a kernel, as bound.
  };

  std::optional<std::string> find_variables(const kernel_templates::CompiledKernel& compiled,
                                            const std::vector<kernel_templates::ResolvedArgument>& resolved);
  void fill_variables(const DeviceArguments& arguments) const;
  void bind_parameters(Step& step, DeviceArguments& arguments);
  void warm_up_calls() const;
  void capture();
  void enqueue() const;
  void run(const Step& step) const;

  /// A variable of the module that an argument is copied to.
  struct Variable {
    std::size_t argument = 0;
    CUdeviceptr address = 0;
  };

  Module module_;
  std::vector<Variable> variables_;
  std::vector<Step> steps_;
  model::ResourceUse use_;
  HostResources* resources_ = nullptr;
  std::size_t streams_ = 1;
  bool is_host_program_ = false;
  bool is_timed_by_host_ = false;
  bool is_cooperative_ = false;
  bool wants_graph_ = false;
  std::vector<CUdeviceptr> places_;                 ///< Of all arguments, as bound.
  std::vector<kernel_templates::Memory> memories_;  ///< Likewise.
  std::uint64_t contents_version_ = 0;              ///< Of the inputs that variables were filled from.
  std::deque<CUdeviceptr> shifted_;                 ///< Addresses inside of buffers that kernels are given.
  ExecutableGraph graph_;
};

}  // namespace warptune::profiling::driver
