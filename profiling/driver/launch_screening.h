#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "model/measurement.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// What the driver is told of a launch; its attributes live in the same object.
struct LaunchConfig {
  CUlaunchConfig config{};
  std::array<CUlaunchAttribute, 2> attributes{};

  LaunchConfig(const kernel_templates::LaunchStep& step, CUstream stream);
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
};

/// Screens the launches of a plan by what the driver knows, those that are alike once.
class LaunchScreening {
 public:
  /// All must outlive the screening.
  LaunchScreening(const kernel_templates::CompiledKernel& compiled, const model::GpuDescription& gpu,
                  const std::vector<std::size_t>& parameter_sizes,
                  const std::vector<kernel_templates::ResolvedArgument>& resolved);

  struct Screened {
    CUfunction function = nullptr;
    model::ResourceUse use;
  };
  /// The function of a launch and what it uses, or why it cannot run.
  base::Result<Screened> screen(CUmodule module, const kernel_templates::LaunchStep& step);

 private:
  std::vector<std::size_t> sizes_of(const kernel_templates::LaunchStep& step) const;
  std::optional<std::string> memory_fault(const kernel_templates::LaunchStep& step) const;
  std::optional<std::string> occupancy_fault(CUfunction function, const kernel_templates::LaunchStep& step,
                                             model::ResourceUse& use) const;
  void set_attributes(CUfunction function, const kernel_templates::LaunchStep& step);

  const kernel_templates::CompiledKernel& compiled_;
  const model::GpuDescription& gpu_;
  const std::vector<std::size_t>& parameter_sizes_;
  const std::vector<kernel_templates::ResolvedArgument>& resolved_;
  bool reads_pageable_ = false;  ///< Whether the GPU's kernels can.
  std::map<std::string, Screened> screened_;
  std::map<CUfunction, std::int64_t> shared_bytes_;
};

}  // namespace warptune::profiling::driver
