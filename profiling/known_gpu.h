#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling {

/// Recognises the GPU of this machine among descriptions that the driver gave in earlier sessions. The driver
/// takes 0.2 s and more to start, so it is not asked. NVML answers within milliseconds with name, compute
/// capability, cores, memory, clocks, ECC mode and MIG mode. NVML does not know the size of the L2 cache.
/// Therefore no description is made from it: it only selects one of the known descriptions.
///
/// Returns std::nullopt when the answer is not certain. Then the driver must be asked. These are the cases:
/// * NVML is missing, or does not answer a question.
/// * No description fits, or two with different keys fit.
/// * The machine has GPUs of several kinds. NVML does not know which of them the driver lists first.
/// * MIG is on.
/// * `visible_devices` names GPUs in another way than by numbers.
///
/// `visible_devices` is the value of CUDA_VISIBLE_DEVICES, or std::nullopt when it is not set. `library` is
/// the NVML library to load. Tests load a substitute for the driver's library.
std::optional<model::GpuDescription> recognise_gpu(const std::vector<model::GpuDescription>& known,
                                                   const std::optional<std::string>& visible_devices,
                                                   const std::string& library = "libnvidia-ml.so.1");

/// What is known of the environment of a session without the driver: its version, from NVML, and the version
/// of NVRTC. If NVML knows a GPU, the environment has its clocks and throttle reasons. It is the first that
/// `visible_devices` names by a number, or else the first of the machine. What is unknown is missing or 0.
model::Environment quick_environment(const std::optional<std::string>& visible_devices,
                                     const std::string& library = "libnvidia-ml.so.1");

/// Whether a GPU was throttled when its environment was read: its clock was lower for another reason than
/// that it was idle, or that a user has set its clocks. False if that is unknown.
bool is_throttled(const model::Environment& environment);
/// Whether the clocks are those at which the GPU works: it is known that it was neither idle nor throttled.
bool has_working_clocks(const model::Environment& environment);

}  // namespace warptune::profiling
