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

/// The configurations of one kernel for one problem, which one GPU worker measures.
struct LabSession {
  /// The recording's name: that of the first table with a row in this session. From the second session of a
  /// table on, a number follows (`ladder`, `ladder-2`).
  std::string name;
  std::shared_ptr<const kernel_templates::KernelInstance> instance;
  model::CacheState cache = model::CacheState::kCold;
  std::vector<std::string> metrics;  ///< Counters to read: the full set, and those that are named.
  std::vector<model::NamedValues> configurations;  ///< Without duplicates.
};

/// A row of a table on one GPU.
struct PlannedRow {
  std::optional<std::size_t> session;          ///< No value: this GPU cannot run the kernel.
  std::vector<model::NamedValues> candidates;  ///< The row shows the fastest. Empty: see `refusal`.
  std::string refusal;                         ///< Why this GPU cannot run the row.
};

/// An experiment on one GPU, with loaded kernels and resolved rows.
struct LabPlan {
  kernel_templates::Experiment experiment;
  model::GpuDescription gpu;
  std::vector<LabSession> sessions;
  std::vector<std::vector<PlannedRow>> rows;  ///< Indexed by table, then by row.
};

/// Plans an experiment for a GPU. Throws `base::InputError` with the position of a row that is not valid.
/// Reasons are a definition that does not load, a name that is neither a parameter nor a size of the kernel,
/// and a value that a parameter does not have.
LabPlan plan_experiment(const kernel_templates::Experiment& experiment, const model::GpuDescription& gpu);

/// Compiles the code for all rows of the experiment, and the references. Returns a text for each
/// configuration or reference that does not compile, with NVRTC's log. It also returns one for each
/// configuration that the GPU's limits do not allow.
std::vector<std::string> compile_problems(const LabPlan& plan);

}  // namespace warptune::tuner::lab
