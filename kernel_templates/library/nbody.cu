/* warptune
[kernel]
name = "nbody"
description = "gravitational acceleration of N bodies by all others, softened, in single precision"
entry = "nbody"
flags = ["{FLAGS}"]
defines.IS_AOS = 'layout == "aos"'
defines.USE_SHARED = 'SOURCE == "shared"'
defines.TILE_SOA = 'TILE_LAYOUT == "soa"'
defines.REDUCE_IN_LAST_BLOCK = 'SPLIT_REDUCTION == "last_block"'
defines.APPROX_FTZ = 'RSQRT == "approx_ftz"'
vendor = """\
  no library, but with the simplest kernel (one thread per body) and with the roof of 10.7 pairs per clock and SM. \
  An SM issues 128 instructions of threads per clock. With `FOLD_MASS`, a pair takes 12 of them, including the root"""
about = """
Computes `a[i] = sum over j of m[j] (x[j] - x[i]) / (|x[j] - x[i]|^2 + softening^2)^(3/2)` for all bodies by direct
summation.

A body is four numbers, `x y z m`. With `layout = "aos"` they lie together, one `float4` for each body. The results have
the same layout, with 0 as the fourth number. With `layout = "soa"` there are four arrays of N elements, one after the
other, and three arrays of results. Masses must not be negative, and the softening must not be 0.

A pair takes 12 single-precision instructions and a reciprocal square root: 3 subtractions, 3 FMA for the squared
distance, 3 multiplications and 3 FMA that add. They count as 18 operations: an FMA counts as two, the root as none. The
root takes an issue slot, too. In 13 issue slots, 13 FMA would be 26 operations. So a kernel that issues nothing but
these 13 instructions reaches 18 / 26 = 69 % of the FP32 peak. Elsewhere the same work is often counted as 20 flops per
pair.

`FOLD_MASS` saves one of the 12 instructions. With `r = 1 / sqrt(m)` the kernel keeps `r x`, `r y`, `r z`, `r` and `(r
softening)^2` of each attracting body. One FMA then gives a difference that is already scaled by `r`. This difference is
multiplied only by `d^-3`, where `d` is the scaled distance. As a drawback, the positions of the attracting bodies are
rounded once more.

With one instruction fewer, the register file is the bottleneck. It delivers two operands per clock to each quarter of
an SM. An FMA with three operands takes longer, unless the previous instruction used one of them, too. `PHASES` divides
the work on an attracting body, so that successive instructions share operands.

The bodies of a thread share each load of an attracting body. For small N, parts of a block (`BLOCK_SPLIT`) and several
blocks (`GRID_SPLIT`) share the attracting bodies: each takes a part of them. `SPLIT_REDUCTION` chooses how the sums of
those blocks are added. Attracting bodies are read through shared memory or directly through L1. `GRID_SPLIT` has
multiples of 3 and 11 for GPUs with 132 SMs.
"""

[problem]
N = { value = 65536, description = "bodies" }
layout = { value = "aos", description = "aos: x, y, z and m of a body lie together; soa: they lie in four arrays" }

[problem_values]
layout = ["aos", "soa"]

[parameters]
BLOCK = { values = [64, 128, 256, 512], description = "threads per block" }
BODIES_PER_THREAD = { values = [1, 2, 4, 6, 8, 12, 16], description = "attracted bodies per thread" }
UNROLL = { values = [1, 2, 4, 8, 16, 32], description = "unrolled steps of the loop over attracting bodies" }
BLOCK_SPLIT.values = [1, 2, 4, 8]
BLOCK_SPLIT.description = """\
  parts of a block, which have the same attracted bodies; each takes a share of the attracting ones"""
GRID_SPLIT.values = [1, 2, 3, 4, 6, 8, 11, 12, 16, 22, 33, 44, 66, 132]
GRID_SPLIT.description = "blocks that have the same attracted bodies; each takes a share of the attracting ones"
SPLIT_REDUCTION.values = ["second_kernel", "last_block"]
SPLIT_REDUCTION.when = "GRID_SPLIT > 1"
SPLIT_REDUCTION.description = """\
  how the sums of the GRID_SPLIT blocks are added: by a second kernel, or by the last block to finish"""
SOURCE.values = ["shared", "global"]
SOURCE.description = "whether attracting bodies are read from tiles in shared memory or directly from global memory"
TILE.values = [128, 256, 512, 1024]
TILE.when = 'SOURCE == "shared"'
TILE.otherwise = 256
TILE.description = "attracting bodies in shared memory at a time"
TILE_LAYOUT = { values = ["aos", "soa"], when = 'SOURCE == "shared"', description = "layout of the tile" }
STAGES.values = [1, 2]
STAGES.when = 'SOURCE == "shared"'
STAGES.description = "tiles in shared memory; with 2, a tile needs one barrier instead of two"
FOLD_MASS.values = [false, true]
FOLD_MASS.when = 'SOURCE == "shared"'
FOLD_MASS.description = "whether differences are scaled by 1 / sqrt(m), which saves one multiplication per pair"
PHASES.values = [1, 2, 3]
PHASES.when = "FOLD_MASS && BODIES_PER_THREAD >= 4"
PHASES.description = """\
  phases into which the work on an attracting body is divided, and which the assembler does not mix: differences, \
  distances, the rest"""
RSQRT.values = ["rsqrtf", "approx_ftz"]
RSQRT.when = 'FLAGS == ""'
RSQRT.description = "how the reciprocal square root is computed; with -use_fast_math both are the same"
FLAGS = { values = ["", "-use_fast_math"], description = "compiler flags" }
MIN_BLOCKS_PER_SM.values = [1, 2, 4]
MIN_BLOCKS_PER_SM.description = "blocks that an SM must be able to hold; this limits the registers per thread"

[constraints]
list = [
  { reason = "a part consists of whole warps, so that the loads of attracting bodies are uniform", expression = """\
      BLOCK / BLOCK_SPLIT >= 32""" },
  { expression = "UNROLL * BODIES_PER_THREAD <= 64", reason = "the unrolled loop must stay in the instruction cache" },
  { reason = "every block and part has attracting bodies", expression = """\
      GRID_SPLIT == 1 || N >= 32 * GRID_SPLIT * BLOCK_SPLIT""" },
  { reason = "fewer blocks would leave SMs without work", expression = """\
      ceil_div(N, BLOCK / BLOCK_SPLIT * BODIES_PER_THREAD) * GRID_SPLIT >= min(device_sm_count, N / 256)""" },
  { reason = "more blocks would only produce more sums to add", expression = """\
      GRID_SPLIT == 1 || ceil_div(N, BLOCK / BLOCK_SPLIT * BODIES_PER_THREAD) * GRID_SPLIT \
      <= 16 * device_sm_count""" },
  { reason = "every part has attracting bodies in each tile", expression = """\
      SOURCE != "shared" || TILE >= UNROLL * BLOCK_SPLIT""" },
  { expression = 'SOURCE != "shared" || TILE <= 8 * BLOCK && BLOCK <= 4 * TILE', reason = """\
      a thread loads at most 8 bodies at a time, and at least a quarter of the threads load some""" },
  { expression = 'TILE_LAYOUT == "aos" || UNROLL >= 4', reason = "separate arrays are read four bodies at a time" },
  { reason = "the requested number of blocks fits on an SM", expression = """\
      MIN_BLOCKS_PER_SM * BLOCK <= device_max_threads_per_sm""" },
  { reason = "the positions and sums of a thread fit into its registers", expression = """\
      BODIES_PER_THREAD * 6 + (SOURCE == "shared" ? 4 * ceil_div(TILE, BLOCK) : 0) + 24 \
      <= min(255, device_registers_per_sm / (MIN_BLOCKS_PER_SM * BLOCK))""" },
  { reason = "the requested number of blocks fits into the shared memory of an SM", expression = """\
      MIN_BLOCKS_PER_SM * (1024 + max(SOURCE == "shared" ? STAGES * TILE * (FOLD_MASS ? 20 : 16) : 0, \
      BLOCK_SPLIT > 1 ? 24 * BLOCK : 0)) <= device_shared_bytes_per_sm""" },
  { reason = "the tiles fit into shared memory", expression = """\
      max(SOURCE == "shared" ? STAGES * TILE * (FOLD_MASS ? 20 : 16) : 0, BLOCK_SPLIT > 1 ? 24 * BLOCK : 0) \
      <= device_shared_bytes_per_block_optin""" },
]

[default]
BLOCK = 256
BODIES_PER_THREAD = 1
UNROLL = 4
BLOCK_SPLIT = 1
GRID_SPLIT = 1
SPLIT_REDUCTION = "second_kernel"
SOURCE = "shared"
TILE = 256
TILE_LAYOUT = "aos"
STAGES = 1
FOLD_MASS = false
PHASES = 1
RSQRT = "rsqrtf"
FLAGS = ""
MIN_BLOCKS_PER_SM = 1

# What is known to be fast, by the number of bodies. Found by bench_size_matrix on an H200.
[[recommended]]
when = 'layout == "aos" && N <= 8192'
[recommended.values]
BODIES_PER_THREAD = 2
UNROLL = 8
BLOCK_SPLIT = 4
GRID_SPLIT = 8
SPLIT_REDUCTION = "last_block"
TILE = 512
STAGES = 2
FLAGS = "-use_fast_math"
MIN_BLOCKS_PER_SM = 2

[[recommended]]
when = 'layout == "aos"'
[recommended.values]
BLOCK = 512
BODIES_PER_THREAD = 8
UNROLL = 2
GRID_SPLIT = 33
TILE = 1024
FOLD_MASS = true
PHASES = 2
RSQRT = "approx_ftz"

[launch]
grid = ["ceil_div(N, BLOCK / BLOCK_SPLIT * BODIES_PER_THREAD)", "GRID_SPLIT"]
block = ["BLOCK"]
shared_bytes = 'max(SOURCE == "shared" ? STAGES * TILE * (FOLD_MASS ? 20 : 16) : 0, BLOCK_SPLIT > 1 ? 24 * BLOCK : 0)'

[[launch.after]]
entry = "add_partials"
grid = ["ceil_div(N, 128)"]
block = ["128"]
when = 'GRID_SPLIT > 1 && SPLIT_REDUCTION == "second_kernel"'

# Positions lie in the unit cube, and masses are below 1.
[[argument]]
name = "bodies"
kind = "in"
type = "f32"
count = "4 * N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "acceleration"
kind = "out"
type = "f32"
count = 'layout == "aos" ? 4 * N : 3 * N'

# Three sums per body from each of the blocks that divide the attracting bodies among them.
[[argument]]
name = "partials"
kind = "scratch"
type = "f32"
count = "GRID_SPLIT > 1 ? GRID_SPLIT * 3 * N : 1"

# The number of these blocks that are done. The last block sets it back to 0.
[[argument]]
name = "tickets"
kind = "scratch"
type = "u32"
count = "ceil_div(N, BLOCK / BLOCK_SPLIT * BODIES_PER_THREAD)"
zero = true

[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[[argument]]
name = "softening"
kind = "scalar"
type = "f32"
value = "0.05"

# Let u = 2^-24. A component is a sum of N terms. In the middle of a face of the unit cube their mean is 1.3. This is
# half the integral of the solid angle under which a square at depth 0 to 1 is seen (2 pi to 0.8). So the sum grows to
# 1.3 N at the end. Each addition has an error of 0.3 to 0.6 u of the sum so far, as standard deviation. The error is
# uniform within half a unit in the last place, and depends on where the sum lies between two powers of two. The total
# is at most 0.6 u 1.3 N^1.5 / sqrt(3) = 2.7e-8 N^1.5, and 1.9e-7 N^1.5 is seven times that.
# 
# A term has an error of a few u, and three times the 2^-22.9 of the reciprocal square root. With FOLD_MASS there is
# also twice the error of 1 / sqrt(m). This is 7e-7 if all errors have the same sign, within the relative 2e-6.
# FOLD_MASS also moves the attracting bodies by up to u of their position: m u |x| / softening^3 = 4.8e-4 at most, which
# a body and itself reach. 1e-3 is twice that. A missing term changes the result by 1 on average. The reference adds 64
# terms in single precision, with correctly rounded roots, and adds those sums in double.
[check]
reference = "entry"
entry = "nbody_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = "1e-3 + 1.9e-7 * N * sqrt(N)"
relative = 2e-6

[work]
flops = "18 * N * N"
bytes = '4 * (layout == "aos" ? 8 : 7) * N'
*/

#include "particles.cuh"

constexpr int kLanes = BLOCK / BLOCK_SPLIT;          // threads of a part
constexpr int kBodies = kLanes * BODIES_PER_THREAD;  // attracted bodies of a block

#include "nbody_attraction.cuh"

__device__ __forceinline__ void store_acceleration(float* acceleration, long long i, long long n,
                                                   const Vector& sum) {
#if IS_AOS
  if (reinterpret_cast<size_t>(acceleration) % 16 == 0) {
    reinterpret_cast<float4*>(acceleration)[i] = float4{sum.x, sum.y, sum.z, 0.0f};
  } else {
    acceleration[4 * i] = sum.x;
    acceleration[4 * i + 1] = sum.y;
    acceleration[4 * i + 2] = sum.z;
    acceleration[4 * i + 3] = 0.0f;
  }
#else
  acceleration[i] = sum.x;
  acceleration[n + i] = sum.y;
  acceleration[2 * n + i] = sum.z;
#endif
}

// The sum of all blocks' sums for a body. They come from other SMs, hence the loads bypass L1.
__device__ __forceinline__ Vector sum_of_partials(const float* partials, long long i, long long n) {
  Vector sum = {0.0f, 0.0f, 0.0f};
#pragma unroll 4
  for (int split = 0; split < GRID_SPLIT; ++split) {
    const float* from = partials + split * 3 * n + i;
    sum.x += __ldcg(from);
    sum.y += __ldcg(from + n);
    sum.z += __ldcg(from + 2 * n);
  }
  return sum;
}

// Stores the block's sum for a body: the result, or a partial sum.
__device__ __forceinline__ void store_sum(float* acceleration, float* partials, long long i, long long n,
                                          const Vector& sum) {
  if (i >= n) return;
#if GRID_SPLIT > 1
  float* to = partials + blockIdx.y * 3 * n + i;
  __stcg(to, sum.x);
  __stcg(to + n, sum.y);
  __stcg(to + 2 * n, sum.z);
#else
  store_acceleration(acceleration, i, n, sum);
#endif
}

__global__ void __launch_bounds__(BLOCK, MIN_BLOCKS_PER_SM)
    nbody(const float* __restrict__ bodies, float* __restrict__ acceleration, float* partials,
          unsigned* tickets, long long n, float softening) {
  extern __shared__ float4 shared_words[];
  float* shared = reinterpret_cast<float*>(shared_words);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kLanes;
  const int part = thread / kLanes;
  const long long first_body = static_cast<long long>(blockIdx.x) * kBodies + lane;

  Vector places[BODIES_PER_THREAD], sums[BODIES_PER_THREAD];
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
    long long index = first_body + i * kLanes;
    if (index >= n) index = n - 1;  // computed and not stored
    places[i] = {component_of(bodies, index, 0, n), component_of(bodies, index, 1, n),
                 component_of(bodies, index, 2, n)};
    sums[i] = {0.0f, 0.0f, 0.0f};
  }

  const long long share = ((n + GRID_SPLIT - 1) / GRID_SPLIT + 3) / 4 * 4;
  const long long first = blockIdx.y * share;
  const long long last = first + share < n ? first + share : n;
  attract_all(sums, places, shared, bodies, first, last, n, softening * softening, part);

#if BLOCK_SPLIT > 1
  // The parts take turns in joining the sums of a body, in one of two buffers.
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i) {
    float* buffer = shared + i % 2 * 3 * BLOCK;
    if (i == 0) __syncthreads();  // the tiles were here
    buffer[thread] = sums[i].x;
    buffer[BLOCK + thread] = sums[i].y;
    buffer[2 * BLOCK + thread] = sums[i].z;
    __syncthreads();
    if (part == i % BLOCK_SPLIT) {
      Vector sum = {0.0f, 0.0f, 0.0f};
#pragma unroll
      for (int j = 0; j < BLOCK_SPLIT; ++j) {
        sum.x += buffer[j * kLanes + lane];
        sum.y += buffer[BLOCK + j * kLanes + lane];
        sum.z += buffer[2 * BLOCK + j * kLanes + lane];
      }
      store_sum(acceleration, partials, first_body + i * kLanes, n, sum);
    }
  }
#else
#pragma unroll
  for (int i = 0; i < BODIES_PER_THREAD; ++i)
    store_sum(acceleration, partials, first_body + i * kLanes, n, sums[i]);
#endif

#if GRID_SPLIT > 1 && REDUCE_IN_LAST_BLOCK
  __shared__ bool is_last[1];
  __threadfence();  // the sums are seen before the ticket is
  __syncthreads();
  if (thread == 0)
    is_last[0] = atomicInc(tickets + blockIdx.x, GRID_SPLIT - 1) == GRID_SPLIT - 1;  // wraps round to 0
  __syncthreads();
  if (is_last[0]) {
    __threadfence();
#pragma unroll 1
    for (int i = thread; i < kBodies; i += BLOCK) {
      const long long index = static_cast<long long>(blockIdx.x) * kBodies + i;
      if (index < n) store_acceleration(acceleration, index, n, sum_of_partials(partials, index, n));
    }
  }
#endif
}

__global__ void __launch_bounds__(128)
    add_partials(const float*, float* acceleration, float* partials, unsigned*, long long n, float) {
  const long long i = static_cast<long long>(blockIdx.x) * 128 + threadIdx.x;
  if (i < n) store_acceleration(acceleration, i, n, sum_of_partials(partials, i, n));
}

#ifdef WARPTUNE_REFERENCE
__global__ void nbody_reference(const float* bodies, float* acceleration, float*, unsigned*, long long n,
                                float softening) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = component_of(bodies, i, 0, n), y = component_of(bodies, i, 1, n),
              z = component_of(bodies, i, 2, n);
  double sums[3] = {0.0, 0.0, 0.0};
  for (long long first = 0; first < n; first += 64) {
    const long long last = first + 64 < n ? first + 64 : n;
    float parts[3] = {0.0f, 0.0f, 0.0f};
#pragma unroll 4
    for (long long j = first; j < last; ++j) {
      const float dx = component_of(bodies, j, 0, n) - x;
      const float dy = component_of(bodies, j, 1, n) - y;
      const float dz = component_of(bodies, j, 2, n) - z;
      const float square = dx * dx + dy * dy + dz * dz + softening * softening;
      const float factor = component_of(bodies, j, 3, n) / (square * sqrtf(square));
      parts[0] += factor * dx;
      parts[1] += factor * dy;
      parts[2] += factor * dz;
    }
    for (int component = 0; component < 3; ++component)
      sums[component] += static_cast<double>(parts[component]);
  }
  const Vector sum = {static_cast<float>(sums[0]), static_cast<float>(sums[1]), static_cast<float>(sums[2])};
  store_acceleration(acceleration, i, n, sum);
}
#endif
