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

/// The driver's description of a launch. `config` points to `attributes`, so the object cannot be copied.
struct LaunchConfig {
  CUlaunchConfig config{};
  std::array<CUlaunchAttribute, 4> attributes{};

  /// `priority` is the driver's number for a node of a graph. Other launches have that of their stream.
  LaunchConfig(const kernel_templates::LaunchStep& step, CUstream stream, int priority = 0);
  LaunchConfig(const LaunchConfig&) = delete;
  LaunchConfig& operator=(const LaunchConfig&) = delete;
};

/// Screens the launches of a plan with the driver's data about the GPU and the code. Equal launches are
/// screened once.
class LaunchScreening {
 public:
  /// All arguments must outlive the screening.
  LaunchScreening(const kernel_templates::CompiledKernel& compiled, const model::GpuDescription& gpu,
                  const std::vector<std::size_t>& parameter_sizes,
                  const std::vector<kernel_templates::ResolvedArgument>& resolved);

  struct Screened {
    CUfunction function = nullptr;
    model::ResourceUse use;
  };
  /// Returns the kernel of a launch and the resources that it uses, or the reason why it cannot run.
  base::Result<Screened> screen(CUmodule module, const kernel_templates::LaunchStep& step);
  /// Returns why the plan cannot run if an argument is in managed memory whose pages cannot move. That also
  /// concerns plans without a launch, which copy or move the memory.
  std::optional<std::string> managed_fault() const;

 private:
  std::vector<std::size_t> sizes_of(const kernel_templates::LaunchStep& step) const;
  std::optional<std::string> memory_fault(const kernel_templates::LaunchStep& step) const;
  std::optional<std::string> occupancy_fault(CUfunction function, const kernel_templates::LaunchStep& step,
                                             model::ResourceUse& use) const;
  std::optional<std::string> carveout_fault(CUfunction function, const kernel_templates::LaunchStep& step);
  void set_attributes(CUfunction function, const kernel_templates::LaunchStep& step);

  const kernel_templates::CompiledKernel& compiled_;
  const model::GpuDescription& gpu_;
  const std::vector<std::size_t>& parameter_sizes_;
  const std::vector<kernel_templates::ResolvedArgument>& resolved_;
  /// Whether kernels on this GPU can read pageable memory of the host.
  bool reads_pageable_ = false;
  /// Whether the pages of managed memory can move while a kernel runs (concurrent managed access).
  bool moves_pages_ = false;
  std::map<std::string, Screened> screened_;
  std::map<CUfunction, std::int64_t> shared_bytes_;
  std::map<CUfunction, std::optional<int>> carveouts_;
};

}  // namespace warptune::profiling::driver
