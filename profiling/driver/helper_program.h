// Compiles and launches the programs of warptune's own kernels.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "kernel_templates/compiler.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Compiles a program, or takes its code from the compile cache in `folder`. With an empty `folder` it always
/// compiles, and keeps nothing.
model::Outcome<kernel_templates::CompiledKernel> compile_cached(
    const kernel_templates::CompileRequest& request, const std::filesystem::path& folder);

/// Returns the driver's description of a launch without attributes.
CUlaunchConfig launch_config(const std::array<std::int64_t, 3>& grid,
                             const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes,
                             CUstream stream);

/// Launches one of warptune's own kernels on a one-dimensional grid. Throws `CudaError`.
void launch_helper(CUfunction function, unsigned blocks, unsigned threads, CUstream stream,
                   void** parameters);

}  // namespace warptune::profiling::driver
