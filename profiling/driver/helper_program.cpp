// Compiles and launches the programs of warptune's own kernels.
#include "profiling/driver/helper_program.h"

#include "kernel_templates/compile_cache.h"

namespace warptune::profiling::driver {

model::Outcome<kernel_templates::CompiledKernel> compile_cached(
    const kernel_templates::CompileRequest& request, const std::filesystem::path& folder) {
  if (folder.empty()) return kernel_templates::compile(request);
  kernel_templates::CompileCache cache(folder);
  return kernel_templates::compile_through(cache, request);
}

CUlaunchConfig launch_config(const std::array<std::int64_t, 3>& grid,
                             const std::array<std::int64_t, 3>& block, std::int64_t shared_bytes,
                             CUstream stream) {
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(grid[0]);
  config.gridDimY = static_cast<unsigned>(grid[1]);
  config.gridDimZ = static_cast<unsigned>(grid[2]);
  config.blockDimX = static_cast<unsigned>(block[0]);
  config.blockDimY = static_cast<unsigned>(block[1]);
  config.blockDimZ = static_cast<unsigned>(block[2]);
  config.sharedMemBytes = static_cast<unsigned>(shared_bytes);
  config.hStream = stream;
  return config;
}

void launch_helper(CUfunction function, unsigned blocks, unsigned threads, CUstream stream,
                   void** parameters) {
  const CUlaunchConfig config = launch_config({blocks, 1, 1}, {threads, 1, 1}, 0, stream);
  WARPTUNE_CUDA(cuLaunchKernelEx(&config, function, parameters, nullptr));
}

}  // namespace warptune::profiling::driver
