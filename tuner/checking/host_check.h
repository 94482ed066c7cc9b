#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/kernel_definition.h"
#include "model/gpu_description.h"

namespace warptune::tuner::checking {

/// What to run on the host. The caller knows that the user trusts the definition's author.
struct HostCheckRequest {
  const kernel_templates::KernelDefinition& definition;
  const model::NamedValues& sizes;  ///< Replace entries of the problem.
  const model::GpuDescription& gpu;
  std::vector<model::NamedValues> configurations;
  std::size_t jobs = 1;
  std::chrono::seconds deadline{60};  ///< For one program.
  const base::Cancellation& cancellation;
};

/// The outcome of the runs on the host.
struct HostCheck {
  std::vector<model::NamedValues> problems;  ///< The small problems.
  std::size_t runs = 0;                      ///< Results compared, one per configuration and problem.
  std::string obstacle;                      ///< Why some or all runs are missing; empty if none is.
  kernel_templates::inspection::Findings findings;
};

/// Emulates configurations for small problems on the host, with the user's C++ compiler, and compares their
/// results with those of the definition's reference. Throws `base::WorkError` if it is cancelled.
HostCheck check_on_host(const HostCheckRequest& request);

}  // namespace warptune::tuner::checking
