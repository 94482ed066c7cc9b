#pragma once

#include <cstddef>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/detail/cuda_driver.h"
#include "search/gpu_description.h"
#include "search/measurement.h"

namespace warptune::profiling::detail {

/// A launch plan with its code on the device, ready to run.
class LoadedPlan {
 public:
  /// Loads and screens by what the driver knows: parameters, threads, shared memory, occupancy. No launch.
  /// Throws `CudaError` when the driver refuses the code.
  static search::Outcome<LoadedPlan> load(const kernel_templates::CompiledKernel& compiled,
                                          const kernel_templates::LaunchPlan& plan,
                                          const search::GpuDescription& gpu,
                                          const std::vector<std::size_t>& parameter_sizes);

  /// Enqueues all steps; all take the same parameters. Throws `CudaError`.
  void launch(CUstream stream, void** parameters) const;
  /// Of the main step.
  const search::ResourceUse& resources() const { return resources_; }

 private:
  struct Step {
    kernel_templates::LaunchStep numbers;
    CUfunction function = nullptr;
  };

  Module module_;
  std::vector<Step> steps_;
  search::ResourceUse resources_;
};

}  // namespace warptune::profiling::detail
