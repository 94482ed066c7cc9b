#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "model/gpu_description.h"

namespace warptune::profiling::roofs {

/// A kernel `(u32 iterations, void* sink)` that keeps one arithmetic pipe full, and how it is launched.
struct PipeKernel {
  std::string roof;  ///< A name of `model::measured_roofs()`.
  std::string entry;
  unsigned threads = 0;         ///< A block.
  unsigned blocks = 0;          ///< One wave of the whole GPU.
  double flops_per_thread = 0;  ///< One iteration.
};

/// The instruction that measures a GPU's tensor roof: `wgmma` on sm_90, else `mma.sync`; empty where there is
/// none before sm_75. On data-centre chips from sm_100 on mma.sync reaches only a part of what `tcgen05`
/// does.
std::string tensor_instruction(const model::GpuDescription& gpu);

/// One program with all roof kernels of a GPU.
kernel_templates::CompileRequest roof_request(const model::GpuDescription& gpu);
/// FP32, FP64 and, where there is one, tensor.
std::vector<PipeKernel> pipe_kernels(const model::GpuDescription& gpu);

/// `(uint4* data, u64 count)`: random words.
inline constexpr const char* kFillEntry = "warptune_roof_fill";
/// `(const uint4* data, u64 count, u32* sink)`: reads all once, with `kReadLoads` loads of 16 bytes in flight
/// a thread; `count` is a multiple of that times the block.
inline constexpr const char* kReadEntry = "warptune_roof_read";
inline constexpr std::uint64_t kReadLoads = 8;

}  // namespace warptune::profiling::roofs
