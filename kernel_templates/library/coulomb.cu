/* warptune
[kernel]
name = "coulomb"
description = """\
  electrostatic potential of ATOMS point charges on a grid of GRID_X x GRID_Y x GRID_Z points, in single precision"""
entry = "coulomb"
flags = ["{FLAGS}"]
defines.IS_AOS = 'layout == "aos"'
defines.USE_SHARED = 'SOURCE == "shared"'
defines.APPROX_FTZ = 'RSQRT == "approx_ftz"'
defines.THREADS = "BLOCK_X * BLOCK_Y"
vendor = """\
  no library, but with the simplest kernel (one thread per point) and with the roof of 16 reciprocal square roots per \
  clock and SM"""
about = """
Computes `potential[z][y][x] = sum over atoms of q / |atom - (x, y, z) * spacing|` by direct summation.

An atom is four numbers, `x y z q`. With `layout = "aos"` they lie together, one `float4` for each atom. With `layout =
"soa"` there are four arrays of ATOMS elements, one after the other. The position of a point is its index times the
spacing, rounded to single precision. The result of a point at the exact position of an atom is not defined.

A thread computes ITEMS_Z points that lie above each other. They share the load of the atom and the part of the squared
distance that x and y give. A pair of a point and an atom then takes 3 single-precision instructions (a subtraction and
two FMA) and a reciprocal square root. An SM computes 16 of these roots per clock. This limits the kernel to 4.2e12
pairs per second on a GPU with 132 SMs at 1.98 GHz, while the FP32 units are idle for a part of the time.

Therefore `FP32_RSQRT_ITEMS` of a thread's points compute their root on the FP32 units. The first guess is integer
arithmetic on the number's bits, and one step of a fourth-order iteration improves it. The result is as accurate as the
hardware's instruction. If the FP32 units compute a quarter of the roots, both kinds of units are about equally busy.
The kernel is then faster than the special function units alone allow.

Each pair counts as 5 operations: an FMA counts as two, the root as none. The work for x and y is not counted, because
its share becomes small as ITEMS_Z grows.
"""

[problem]
GRID_X = { value = 128, description = "grid points along x, the innermost dimension" }
GRID_Y = { value = 128, description = "grid points along y" }
GRID_Z = { value = 128, description = "grid points along z" }
ATOMS = { value = 4096, description = "point charges" }
layout = { value = "aos", description = "aos: x, y, z and q of an atom lie together; soa: they lie in four arrays" }

[problem_values]
layout = ["aos", "soa"]

[parameters]
BLOCK_X = { values = [8, 16, 32, 64, 128, 256], description = "threads per block along x" }
BLOCK_Y = { values = [1, 2, 4, 8, 16, 32], description = "threads per block along y" }
ITEMS_Z = { values = [1, 2, 4, 6, 8, 12, 16, 24, 32], description = "points per thread along z" }
UNROLL = { values = [1, 2, 4, 8, 16], description = "unrolled steps of the loop over atoms" }
SOURCE.values = ["shared", "global"]
SOURCE.description = "whether atoms are read from tiles in shared memory or directly from global memory"
TILE.values = [64, 128, 256, 512, 1024, 2048, 4096]
TILE.when = 'SOURCE == "shared"'
TILE.otherwise = 256
TILE.description = "atoms in shared memory at a time"
RSQRT.values = ["rsqrtf", "approx_ftz"]
RSQRT.when = 'FLAGS == ""'
RSQRT.description = "how the reciprocal square root is computed; with -use_fast_math both are the same"
FP32_RSQRT_ITEMS.values = [0, 1, 2, 3, 4, 5, 6, 8]
FP32_RSQRT_ITEMS.description = "points per thread whose reciprocal square roots the FP32 units compute"
FLAGS = { values = ["", "-use_fast_math"], description = "compiler flags" }
MIN_BLOCKS_PER_SM.values = [1, 2, 3, 4, 6, 8]
MIN_BLOCKS_PER_SM.description = "blocks that an SM must be able to hold; this limits the registers per thread"

[constraints]
list = [
  { reason = """\
      with blocks of one warp an SM reaches its maximum of blocks before it has enough threads, and few large blocks \
      leave SMs idle at the end""", expression = """\
      BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 512""" },
  { reason = "a block that is much larger than the grid of points leaves threads idle", expression = """\
      BLOCK_X <= max(32, 2 * GRID_X) && BLOCK_Y <= 2 * GRID_Y && ITEMS_Z <= 2 * GRID_Z \
      || BLOCK_X * BLOCK_Y == 64 && BLOCK_X <= 32 && ITEMS_Z <= 2""" },
  { expression = "ITEMS_Z * UNROLL <= 128", reason = "the unrolled loop must stay in the instruction cache" },
  { reason = "if the FP32 units compute more than two thirds of the roots, they are the bottleneck", expression = """\
      3 * FP32_RSQRT_ITEMS <= 2 * ITEMS_Z""" },
  { reason = "all threads load about equally many atoms, and each loads only a few", expression = """\
      SOURCE != "shared" || TILE >= UNROLL && TILE <= 16 * BLOCK_X * BLOCK_Y && BLOCK_X * BLOCK_Y <= 4 * TILE""" },
  { reason = "the requested number of blocks fits on an SM", expression = """\
      MIN_BLOCKS_PER_SM * BLOCK_X * BLOCK_Y <= device_max_threads_per_sm""" },
  { reason = "the positions and sums of a thread fit into its registers", expression = """\
      2 * ITEMS_Z + 4 * min(UNROLL, 4) + 24 <= min(255, \
      device_registers_per_sm / (MIN_BLOCKS_PER_SM * BLOCK_X * BLOCK_Y))""" },
  { reason = "the requested number of blocks fits into the shared memory of an SM", expression = """\
      SOURCE != "shared" || MIN_BLOCKS_PER_SM * (1024 + 16 * TILE) <= device_shared_bytes_per_sm""" },
  { reason = "the tile fits into shared memory", expression = """\
      SOURCE != "shared" || 16 * TILE <= device_shared_bytes_per_block_optin""" },
]

[default]
BLOCK_X = 32
BLOCK_Y = 8
ITEMS_Z = 1
UNROLL = 4
SOURCE = "shared"
TILE = 256
RSQRT = "rsqrtf"
FP32_RSQRT_ITEMS = 0
FLAGS = ""
MIN_BLOCKS_PER_SM = 1

# What is known to be fast, by the number of grid points. Found by bench_size_matrix on an H200.
[[recommended]]
when = 'layout == "aos" && GRID_X * GRID_Y * GRID_Z <= 100000'
[recommended.values]
BLOCK_X = 16
ITEMS_Z = 2
UNROLL = 16
TILE = 1024
FLAGS = "-use_fast_math"
MIN_BLOCKS_PER_SM = 8

[[recommended]]
when = 'layout == "aos" && GRID_X * GRID_Y * GRID_Z <= 1500000'
[recommended.values]
BLOCK_X = 8
BLOCK_Y = 16
ITEMS_Z = 8
UNROLL = 16
TILE = 512
RSQRT = "approx_ftz"
FP32_RSQRT_ITEMS = 2
MIN_BLOCKS_PER_SM = 4

[[recommended]]
when = 'layout == "aos"'
[recommended.values]
BLOCK_X = 16
ITEMS_Z = 16
UNROLL = 2
TILE = 512
RSQRT = "approx_ftz"
FP32_RSQRT_ITEMS = 3
MIN_BLOCKS_PER_SM = 4

[launch]
grid = ["ceil_div(GRID_X, BLOCK_X) * ceil_div(GRID_Y, BLOCK_Y) * ceil_div(GRID_Z, ITEMS_Z)"]
block = ["BLOCK_X", "BLOCK_Y"]
shared_bytes = 'SOURCE == "shared" ? 16 * TILE : 0'

# Atoms lie in the unit cube, and charges are below 1.
[[argument]]
name = "atoms"
kind = "in"
type = "f32"
count = "4 * ATOMS"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "potential"
kind = "out"
type = "f32"
count = "GRID_X * GRID_Y * GRID_Z"

[[argument]]
name = "grid_x"
kind = "scalar"
type = "i32"
value = "GRID_X"

[[argument]]
name = "grid_y"
kind = "scalar"
type = "i32"
value = "GRID_Y"

[[argument]]
name = "grid_z"
kind = "scalar"
type = "i32"
value = "GRID_Z"

[[argument]]
name = "atom_count"
kind = "scalar"
type = "i64"
value = "ATOMS"

# The default grid fills the atoms' cube.
[[argument]]
name = "spacing"
kind = "scalar"
type = "f32"
value = "0.0078125"

# Let u = 2^-24. All terms are positive. A term has three errors: half of the 3 u of its squared distance, the 2^-22.9
# of the root, and u. Together they are 3e-7 at most. Near atoms are no worse, because both sides use differences of the
# same rounded numbers. The sum grows steadily. Each addition has an error of 0.4 u of the sum as standard deviation.
# The total is 0.4 u sqrt(ATOMS / 3) = 1.4e-8 sqrt(ATOMS) of the result, and 1e-7 sqrt(ATOMS) is seven times that. A
# missing term changes the result by 1 / ATOMS on average. The reference computes and adds in double.
[check]
reference = "entry"
entry = "coulomb_reference"
grid = ["ceil_div(GRID_X * GRID_Y * GRID_Z, 256)"]
block = ["256"]
absolute = 0.0
relative = "5e-7 + 1e-7 * sqrt(ATOMS)"

[work]
flops = "5 * ATOMS * GRID_X * GRID_Y * GRID_Z"
bytes = "4 * (4 * ATOMS + GRID_X * GRID_Y * GRID_Z)"
*/

#include "particles.cuh"

// As reciprocal_root(), by FP32 instructions. The guess y is off by less than 3.5 % (the constant makes x y^2 - 1 lie
// within 0.0682 on either side); the polynomial is the best of its degree, in relative error, for (1 + e)^-1/2 there.
// 1e-7 off at most, seen over [1, 4).
__device__ __forceinline__ float fp32_reciprocal_root(float x) {
  const float guess = __int_as_float(0x5f374740 - (__float_as_int(x) >> 1));
  const float e = fmaf(x * guess, guess, -1.0f);
  const float p = fmaf(fmaf(fmaf(0.27494659f, e, -0.31392995f), e, 0.37499771f), e, -0.49999835f);
  return fmaf(guess * e, p, guess);
}

// Adds what an atom gives to the points of a thread.
__device__ __forceinline__ void add_atom(float (&sums)[ITEMS_Z], float x, float y, const float (&z)[ITEMS_Z],
                                         const float4& atom) {
  const float dx = atom.x - x;
  const float dy = atom.y - y;
  const float in_plane = fmaf(dx, dx, dy * dy);
#pragma unroll
  for (int i = 0; i < ITEMS_Z; ++i) {
    const float dz = atom.z - z[i];
    const float square = fmaf(dz, dz, in_plane);
    // Those computed by other means are spread among the others.
    const bool by_fp32 = (i + 1) * FP32_RSQRT_ITEMS / ITEMS_Z != i * FP32_RSQRT_ITEMS / ITEMS_Z;
    sums[i] = fmaf(atom.w, by_fp32 ? fp32_reciprocal_root(square) : reciprocal_root(square), sums[i]);
  }
}

#if USE_SHARED
__device__ __forceinline__ void add_all(float (&sums)[ITEMS_Z], float x, float y, const float (&z)[ITEMS_Z],
                                        const float* __restrict__ atoms, long long count) {
  extern __shared__ float4 tile[];
  const int thread = static_cast<int>(threadIdx.y * BLOCK_X + threadIdx.x);
  const bool aligned = reinterpret_cast<size_t>(atoms) % 16 == 0;
#pragma unroll 1
  for (long long first = 0; first < count; first += TILE) {
    const int here = static_cast<int>(first + TILE <= count ? TILE : count - first);
    __syncthreads();  // nobody reads the last tile any more
#pragma unroll 4
    for (int i = thread; i < here; i += THREADS) tile[i] = load_particle(atoms, first + i, count, aligned);
    __syncthreads();
    int at = 0;
#pragma unroll 1
    for (; at + UNROLL <= here; at += UNROLL) {
#pragma unroll
      for (int i = 0; i < UNROLL; ++i) add_atom(sums, x, y, z, tile[at + i]);
    }
#if UNROLL > 1
#pragma unroll 1
    for (; at < here; ++at) add_atom(sums, x, y, z, tile[at]);
#endif
  }
}
#else
// All threads read the same atom at a time.
__device__ __forceinline__ void add_all(float (&sums)[ITEMS_Z], float x, float y, const float (&z)[ITEMS_Z],
                                        const float* __restrict__ atoms, long long count) {
  long long at = 0;
#if IS_AOS
  if (reinterpret_cast<size_t>(atoms) % 16 == 0) {
#pragma unroll 1
    for (; at + UNROLL <= count; at += UNROLL) {
#pragma unroll
      for (int i = 0; i < UNROLL; ++i) add_atom(sums, x, y, z, load_particle(atoms, at + i, count, true));
    }
  }
#elif UNROLL % 4 == 0
  if (reinterpret_cast<size_t>(atoms) % 16 == 0 && count % 4 == 0) {
#pragma unroll 1
    for (; at + UNROLL <= count; at += UNROLL) {
#pragma unroll
      for (int i = 0; i < UNROLL; i += 4) {
        const float4 atoms_x = __ldg(reinterpret_cast<const float4*>(atoms + at + i));
        const float4 atoms_y = __ldg(reinterpret_cast<const float4*>(atoms + count + at + i));
        const float4 atoms_z = __ldg(reinterpret_cast<const float4*>(atoms + 2 * count + at + i));
        const float4 charges = __ldg(reinterpret_cast<const float4*>(atoms + 3 * count + at + i));
        add_atom(sums, x, y, z, float4{atoms_x.x, atoms_y.x, atoms_z.x, charges.x});
        add_atom(sums, x, y, z, float4{atoms_x.y, atoms_y.y, atoms_z.y, charges.y});
        add_atom(sums, x, y, z, float4{atoms_x.z, atoms_y.z, atoms_z.z, charges.z});
        add_atom(sums, x, y, z, float4{atoms_x.w, atoms_y.w, atoms_z.w, charges.w});
      }
    }
  }
#endif
#pragma unroll 1
  for (; at < count; ++at) add_atom(sums, x, y, z, load_particle(atoms, at, count, false));
}
#endif

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS_PER_SM)
    coulomb(const float* __restrict__ atoms, float* __restrict__ potential, int grid_x, int grid_y,
            int grid_z, long long atom_count, float spacing) {
  const unsigned blocks_x = (static_cast<unsigned>(grid_x) + BLOCK_X - 1) / BLOCK_X;
  const unsigned blocks_y = (static_cast<unsigned>(grid_y) + BLOCK_Y - 1) / BLOCK_Y;
  const unsigned block_row = blockIdx.x / blocks_x;
  const unsigned x = blockIdx.x % blocks_x * BLOCK_X + threadIdx.x;
  const unsigned y = block_row % blocks_y * BLOCK_Y + threadIdx.y;
  const unsigned first_z = block_row / blocks_y * ITEMS_Z;

  // Points outside of the grid are computed and not stored.
  float z[ITEMS_Z], sums[ITEMS_Z];
#pragma unroll
  for (int i = 0; i < ITEMS_Z; ++i) {
    z[i] = __fmul_rn(static_cast<float>(first_z + i), spacing);  // rounded, not part of an FMA
    sums[i] = 0.0f;
  }
  add_all(sums, __fmul_rn(static_cast<float>(x), spacing), __fmul_rn(static_cast<float>(y), spacing), z,
          atoms, atom_count);

  if (x >= static_cast<unsigned>(grid_x) || y >= static_cast<unsigned>(grid_y)) return;
  const long long plane = static_cast<long long>(grid_x) * grid_y;
  float* to = potential + first_z * plane + static_cast<long long>(y) * grid_x + x;
#pragma unroll
  for (int i = 0; i < ITEMS_Z; ++i) {
    if (first_z + i < static_cast<unsigned>(grid_z)) to[i * plane] = sums[i];
  }
}

#ifdef WARPTUNE_REFERENCE
__global__ void coulomb_reference(const float* atoms, float* potential, int grid_x, int grid_y, int grid_z,
                                  long long atom_count, float spacing) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long plane = static_cast<long long>(grid_x) * grid_y;
  if (i >= plane * grid_z) return;
  const float x = __fmul_rn(static_cast<float>(i % grid_x), spacing);
  const float y = __fmul_rn(static_cast<float>(i % plane / grid_x), spacing);
  const float z = __fmul_rn(static_cast<float>(i / plane), spacing);
  double sum = 0.0;
#pragma unroll 4
  for (long long j = 0; j < atom_count; ++j) {
    const float4 atom = load_particle(atoms, j, atom_count, false);
    const double dx = static_cast<double>(atom.x) - static_cast<double>(x);
    const double dy = static_cast<double>(atom.y) - static_cast<double>(y);
    const double dz = static_cast<double>(atom.z) - static_cast<double>(z);
    sum += static_cast<double>(atom.w) * rsqrt(dx * dx + dy * dy + dz * dz);
  }
  potential[i] = static_cast<float>(sum);
}
#endif
