// What the programs of warptune's own kernels share: compiled once and kept, and launched.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

#include "kernel_templates/compiler.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Compiles, or takes what `folder` (a compile cache; empty: none) keeps of an earlier compile.
model::Outcome<kernel_templates::CompiledKernel> compile_kept(const kernel_templates::CompileRequest& request,
                                                              const std::filesystem::path& folder);

/// What the driver is told of a launch without attributes.
CUlaunchConfig launch_config(const std::array<std::int64_t, 3>& grid,
                             const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes,
                             CUstream stream);

/// Launches one of warptune's own kernels over one dimension. Throws `CudaError`.
void launch_helper(CUfunction function, unsigned blocks, unsigned threads, CUstream stream,
                   void** parameters);

}  // namespace warptune::profiling::driver
