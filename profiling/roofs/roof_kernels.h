#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "model/gpu_description.h"

namespace warptune::profiling::roofs {

/// A kernel `(u32 iterations, void* sink)` that keeps one arithmetic pipe full, and its launch geometry.
struct PipeKernel {
  std::string roof;  ///< A name of `model::measured_roofs()`.
  std::string entry;
  unsigned threads = 0;         ///< In each block.
  unsigned blocks = 0;          ///< As many as run on the whole GPU at once.
  double flops_per_thread = 0;  ///< In each iteration.
};

/// Returns the instruction that measures a GPU's tensor roof: `wgmma` on sm_90, otherwise `mma.sync`. Returns
/// an empty text for GPUs before sm_75, which lack the forms of `mma.sync` that the roof kernel uses. On
/// data-centre GPUs from sm_100 on, mma.sync reaches only a part of the rate of `tcgen05`.
std::string tensor_instruction(const model::GpuDescription& gpu);

/// Returns one program with all roof kernels of a GPU.
kernel_templates::CompileRequest roof_request(const model::GpuDescription& gpu);
/// Returns the kernels for FP32, FP64 and, where the GPU has tensor cores, the tensor roof.
std::vector<PipeKernel> pipe_kernels(const model::GpuDescription& gpu);

/// `(uint4* data, u64 count)`: fills the data with random words.
inline constexpr const char* kFillEntry = "warptune_roof_fill";
/// `(const uint4* data, u64 count, u32* sink)`: reads all data once. Each thread has `kReadLoads` loads of 16
/// bytes in flight. `count` must be a multiple of `kReadLoads` times the threads of a block.
inline constexpr const char* kReadEntry = "warptune_roof_read";
inline constexpr std::uint64_t kReadLoads = 8;

}  // namespace warptune::profiling::roofs
