#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/experiment.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::tuner::lab {

/// What one GPU worker measures in one go: configurations of one kernel for one problem.
struct LabSession {
  std::string name;  ///< The table that asked first, numbered where it asks for several: names a recording.
  std::shared_ptr<const kernel_templates::KernelInstance> instance;
  model::CacheState cache = model::CacheState::kCold;
  std::vector<std::string> metrics;  ///< Counters to read: those of a profile and what is asked for beside.
  std::vector<model::NamedValues> configurations;  ///< Each once.
};

/// A row of a table on one GPU.
struct PlannedRow {
  std::optional<std::size_t> session;  ///< Nothing where the kernel has no configuration at all on this GPU.
  std::vector<model::NamedValues> candidates;  ///< The fastest is the row; none: see `refusal`.
  std::string refusal;                         ///< Why the row cannot be on this GPU.
};

/// An experiment on one GPU: its kernels loaded, its rows resolved.
struct LabPlan {
  kernel_templates::Experiment experiment;
  model::GpuDescription gpu;
  std::vector<LabSession> sessions;
  std::vector<std::vector<PlannedRow>> rows;  ///< By table and row.
};

/// Throws `base::InputError`, at the row, where a definition does not load, a name is neither parameter nor
/// problem entry of it, or a value is not in a parameter's list.
LabPlan plan_experiment(const kernel_templates::Experiment& experiment, const model::GpuDescription& gpu);

/// Whether code that is to be compiled for the experiment's rows does compile: a line for each configuration
/// that does not, with NVRTC's log.
std::vector<std::string> compile_problems(const LabPlan& plan);

}  // namespace warptune::tuner::lab
