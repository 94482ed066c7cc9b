#include "profiling/roofs/roof_kernels.h"

#include <fmt/format.h>

namespace warptune::profiling::roofs {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kChains = 8;  // Independent chains of dependent multiply-adds in each thread.
// Steps of each chain in an iteration. Their code has 8 KiB, which fits into the instruction caches.
constexpr unsigned kSteps = 64;
constexpr unsigned kTiles = 8;      // The accumulators of a warp that are in flight at the same time.
constexpr unsigned kTileSteps = 8;  // Multiplications into each accumulator in an iteration.
constexpr unsigned kWgmmas = 4;     // wgmma instructions in each iteration.
constexpr unsigned kWgmmaAccumulators = 128;  // f32 per thread: 64 x 256 over 128 threads.

constexpr const char* kMemorySource = R"cuda(
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ u32 mix(u32 x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

extern "C" __global__ void warptune_roof_fill(uint4* data, u64 count) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
    const u32 seed = (u32)i * 4u;
    data[i] = make_uint4(mix(seed), mix(seed + 1u), mix(seed + 2u), mix(seed + 3u));
  }
}

__device__ uint4 load_once(const uint4* from) {
  uint4 loaded;
  asm("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w) : "l"(from));
  return loaded;
}

extern "C" __global__ void warptune_roof_read(const uint4* data, u64 count, u32* sink) {
  const u64 piece = (u64)LOADS * blockDim.x;
  u32 seen = 0;
  for (u64 first = blockIdx.x * piece; first < count; first += gridDim.x * piece) {
    uint4 loaded[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) loaded[i] = load_once(data + first + i * blockDim.x + threadIdx.x);
#pragma unroll
    for (int i = 0; i < LOADS; ++i) seen ^= loaded[i].x ^ loaded[i].y ^ loaded[i].z ^ loaded[i].w;
  }
  if (seen == 0x9E3779B9u) *sink = seen;
}
)cuda";

// Iterates the quadratic map x -> x^2 - 1.9, which is one multiply-add. The map is chaotic, so the bits keep
// changing as in real data. Its values stay in [-2, 2].
constexpr const char* kFmaSource = R"cuda(
template <class Real>
__device__ void chains(Real c, u32 iterations, Real* sink) {
  Real x[CHAINS];
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i)
    x[i] = (Real)(mix(thread * CHAINS + i) >> 8) * (Real)(1.0 / (1 << 23)) - (Real)1;
#pragma unroll 1
  for (u32 n = 0; n < iterations; ++n) {
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
#pragma unroll
      for (int i = 0; i < CHAINS; ++i) x[i] = fma(x[i], x[i], c);
    }
  }
  Real sum = 0;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sum += x[i];
  if (sum == (Real)1e30) *sink = sum;
}

extern "C" __global__ void __launch_bounds__(256) warptune_roof_fp32(u32 iterations, float* sink, float c) {
  chains(c, iterations, sink);
}
extern "C" __global__ void __launch_bounds__(256) warptune_roof_fp64(u32 iterations, double* sink, float c) {
  chains((double)c, iterations, sink);
}
)cuda";

// Two f16 with magnitudes from 0.5 to 1 and any sign. Their products toggle bits like real data, and their
// sums stay finite.
constexpr const char* kTensorDataSource = R"cuda(
__device__ u32 random_halves(u32 seed) { return (mix(seed) & 0x83FF83FFu) | 0x38003800u; }
)cuda";

constexpr const char* kMmaSource = R"cuda(
#if __CUDA_ARCH__ >= 800
#define A_WORDS 4
#define B_WORDS 2
#else
#define A_WORDS 2
#define B_WORDS 1
#endif

__device__ void multiply(float (&sum)[4], const u32 (&a)[A_WORDS], const u32 (&b)[B_WORDS]) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
#endif
}

extern "C" __global__ void __launch_bounds__(256) warptune_roof_tensor(u32 iterations, float* sink) {
  u32 a[2][A_WORDS], b[TILES / 2][B_WORDS];
  float sums[TILES][4] = {};
  const u32 seed = (blockIdx.x * blockDim.x + threadIdx.x) * 32u;
#pragma unroll
  for (int i = 0; i < 2 * A_WORDS; ++i) a[i / A_WORDS][i % A_WORDS] = random_halves(seed + i);
#pragma unroll
  for (int i = 0; i < TILES / 2 * B_WORDS; ++i) b[i / B_WORDS][i % B_WORDS] = random_halves(seed + 16u + i);
#pragma unroll 1
  for (u32 n = 0; n < iterations; ++n) {
#pragma unroll
    for (int step = 0; step < TILE_STEPS; ++step) {
#pragma unroll
      for (int i = 0; i < TILES; ++i) multiply(sums[i], a[i % 2], b[i / 2]);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < TILES * 4; ++i) sum += sums[i / 4][i % 4];
  if (sum == 1.2345e30f) *sink = sum;
}
)cuda";

// Uses the instruction m64n256k16 with both operands in shared memory, with 128-byte swizzle and contiguous
// K, as in a GEMM. The format of a matrix descriptor is in the PTX ISA, "Asynchronous Warpgroup Level Matrix
// Multiply-Accumulate". Its addresses and offsets are in units of 16 bytes. Groups of eight rows are 1024
// bytes apart. The swizzle mode is in bits 62 and 63. A step of 16 along K is 32 bytes. Each of the two
// warpgroups has its own rows of the first matrix. Both use the same columns of the second one. One group of
// instructions is always in flight.
constexpr const char* kWgmmaSource = R"cuda(
__device__ u64 descriptor(const void* tile) {
  const u64 address = (u64)__cvta_generic_to_shared(tile);
  return ((address & 0x3FFFFull) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
}

__device__ void multiply(float (&sums)[ACCUMULATORS], u64 a, u64 b) {
  asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0; "
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {OPERANDS}, A_OPERAND, B_OPERAND, add, 1, 1, 0, 0; }"
               : OUTPUTS : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(256) warptune_roof_tensor(u32 iterations, float* sink) {
  constexpr int kRowWords = 64 * 32, kColumnWords = 256 * 32;
  __shared__ alignas(1024) u32 rows[2][kRowWords];
  __shared__ alignas(1024) u32 columns[kColumnWords];
  const u32 seed = blockIdx.x * (2u * kRowWords + kColumnWords);
  for (u32 i = threadIdx.x; i < 2 * kRowWords; i += blockDim.x) rows[i / kRowWords][i % kRowWords] = random_halves(seed + i);
  for (u32 i = threadIdx.x; i < kColumnWords; i += blockDim.x) columns[i] = random_halves(seed + 2u * kRowWords + i);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const u64 a = descriptor(rows[threadIdx.x / 128]);
  const u64 b = descriptor(columns);
  float sums[ACCUMULATORS];
#pragma unroll
  for (int i = 0; i < ACCUMULATORS; ++i) sums[i] = 0.0f;
#pragma unroll 1
  for (u32 n = 0; n < iterations; ++n) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < WGMMAS; ++k) multiply(sums, a + 2 * k, b + 2 * k);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < ACCUMULATORS; ++i) sum += sums[i];
  if (sum == 1.2345e30f) *sink = sum;
}
)cuda";

int capability_of(const model::GpuDescription& gpu) { return gpu.compute_major * 10 + gpu.compute_minor; }

bool has_wgmma(const model::GpuDescription& gpu) { return capability_of(gpu) == 90; }

void replace(std::string& text, const std::string& name, const std::string& by) {
  const std::size_t place = text.find(name);
  if (place != std::string::npos) text.replace(place, name.size(), by);
}

std::string wgmma_source() {
  std::string names;
  std::string outputs;
  for (unsigned i = 0; i < kWgmmaAccumulators; ++i) {
    names += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
    outputs += fmt::format("{}\"+f\"(sums[{}])", i == 0 ? "" : ", ", i);
  }
  std::string source = kWgmmaSource;
  replace(source, "OPERANDS", names);
  replace(source, "A_OPERAND", fmt::format("%{}", kWgmmaAccumulators));
  replace(source, "B_OPERAND", fmt::format("%{}", kWgmmaAccumulators + 1));
  replace(source, "OUTPUTS", outputs);
  return source;
}

unsigned count_of(std::int64_t value) { return static_cast<unsigned>(value); }

}  // namespace

std::string tensor_instruction(const model::GpuDescription& gpu) {
  if (has_wgmma(gpu)) return "wgmma";
  return capability_of(gpu) >= 75 ? "mma.sync" : "";
}

kernel_templates::CompileRequest roof_request(const model::GpuDescription& gpu) {
  kernel_templates::CompileRequest request;
  request.program_name = "warptune_roofs.cu";
  request.source = fmt::format(
      "#define LOADS {}\n#define CHAINS {}\n#define STEPS {}\n#define TILES {}\n#define TILE_STEPS {}\n"
      "#define WGMMAS {}\n#define ACCUMULATORS {}\n",
      kReadLoads, kChains, kSteps, kTiles, kTileSteps, kWgmmas, kWgmmaAccumulators);
  request.source += kMemorySource;
  request.source += kFmaSource;
  request.entries = {kFillEntry, kReadEntry};
  for (const PipeKernel& kernel : pipe_kernels(gpu)) request.entries.push_back(kernel.entry);
  if (!tensor_instruction(gpu).empty()) {
    request.source += kTensorDataSource;
    request.source += has_wgmma(gpu) ? wgmma_source() : std::string(kMmaSource);
  }
  request.options = {"--std=c++17"};
  // wgmma needs the architecture sm_90a. Code for sm_90 cannot use it.
  request.architecture = has_wgmma(gpu) ? "sm_90a" : gpu.architecture();
  return request;
}

std::vector<PipeKernel> pipe_kernels(const model::GpuDescription& gpu) {
  const unsigned sms = count_of(gpu.sm_count);
  const unsigned full = sms * count_of(gpu.max_threads_per_sm) / kThreads;
  constexpr double kFmaFlops = 2.0 * kChains * kSteps;
  std::vector<PipeKernel> kernels = {{"fp32", "warptune_roof_fp32", kThreads, full, kFmaFlops},
                                     {"fp64", "warptune_roof_fp64", kThreads, full, kFmaFlops}};
  const std::string instruction = tensor_instruction(gpu);
  if (instruction == "wgmma") {
    constexpr double kFlops = 2.0 * 64 * 256 * 16 / 128;
    kernels.push_back({"tensor", "warptune_roof_tensor", kThreads, sms, kFlops * kWgmmas});
  } else if (!instruction.empty()) {
    const double flops = 2.0 * 16 * 8 * (capability_of(gpu) >= 80 ? 16 : 8) / 32;
    kernels.push_back({"tensor", "warptune_roof_tensor", kThreads, 2 * sms, flops * kTiles * kTileSteps});
  }
  return kernels;
}

}  // namespace warptune::profiling::roofs
