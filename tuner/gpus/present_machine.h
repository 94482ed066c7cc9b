// What is known of this machine's GPU, driver and compiler without starting the driver.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::tuner::gpus {

/// This machine, as far as it is known.
struct PresentMachine {
  std::optional<model::GpuDescription> gpu;  ///< Empty: it has none, or it is not recognised.
  model::Environment environment;            ///< What is unknown is missing or 0.
};

/// Describes this machine. `known` are GPUs of the database, among which that of the machine is recognised.
/// It is `read_present_machine`, or a function of a test.
using MachineReader = std::function<PresentMachine(const std::vector<model::GpuDescription>& known)>;

/// Asks NVML for the GPU, the version of the driver and the clocks, and reads the version of NVRTC. It takes
/// some milliseconds, and throws nothing.
PresentMachine read_present_machine(const std::vector<model::GpuDescription>& known);

}  // namespace warptune::tuner::gpus
