/* warptune
[kernel]
name = "divergence"
description = "two recurrences: elements of even index take one, and elements of odd index take the other"
about = """
Every element goes through LENGTH multiply-adds x = factor x + term. The factor depends on the parity of the element's
index. All forms compute the same numbers to the last bit. They differ in which threads of a warp take the same side of
the branch.

`even_odd` gives neighbouring elements to neighbouring threads and branches on the parity. So half of every warp takes
each side. `warp` gives even elements to even warps and odd elements to odd warps. The branch is the same, but each warp
takes only one side. `arithmetic` has no branch: it selects the factor, and all threads share the recurrence. `both` has
no branch either: it computes both sides, multiplies the unwanted one by zero, and adds them.

BRANCHED is how many of the rounds are inside the branch. The others follow it with the selected factor.
"""
entry = "divergence"
defines.ROUNDS = "LENGTH"
defines.EVEN_ODD = 'METHOD == "even_odd"'
defines.BY_WARP = 'METHOD == "warp"'
defines.COMPUTE_BOTH = 'METHOD == "both"'

[problem]
N = { value = 4194304, description = "elements, a multiple of 1024" }
LENGTH = { value = 1024, description = "multiply-adds of an element, a multiple of 128" }

[parameters]
METHOD.values = ["even_odd", "warp", "arithmetic", "both"]
METHOD.description = """\
  a branch on the parity of the thread or of the warp, a selected factor, or the computation of both sides"""
BRANCHED = { values = [1024, 512, 256, 0], description = "multiply-adds of an element that are inside the branch" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[constraints]
list = [
  { expression = "BRANCHED <= LENGTH", reason = "an element has no more rounds" },
  { expression = '(METHOD == "arithmetic") == (BRANCHED == 0)', reason = """\
    `arithmetic` has nothing inside a branch, and all others have something""" },
  { expression = 'METHOD == "even_odd" || METHOD == "arithmetic" || BRANCHED == LENGTH', reason = """\
    only the even/odd branch has a part of the work outside""" },
]

[default]
METHOD = "even_odd"
BRANCHED = 512
BLOCK = 256

[launch]
grid = ["N / BLOCK"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "N"

# Every form rounds the same fused operations in the same order. Adding the other side times zero changes no bit of a
# number that is not zero.
[check]
reference = "entry"
entry = "divergence_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * LENGTH * N"
bytes = "8 * N"
*/

// Both recurrences stay between -1.1 and 1.1.
#define EVEN_FACTOR 0.999f
#define ODD_FACTOR -0.998f
#define TERM 0.0009f

template <int rounds>
__device__ __forceinline__ float even_side(float x) {
#pragma unroll 64
  for (int i = 0; i < rounds; ++i) x = fmaf(x, EVEN_FACTOR, TERM);
  return x;
}

template <int rounds>
__device__ __forceinline__ float odd_side(float x) {
#pragma unroll 64
  for (int i = 0; i < rounds; ++i) x = fmaf(x, ODD_FACTOR, TERM);
  return x;
}

__global__ void __launch_bounds__(BLOCK) divergence(const float* __restrict__ in, float* __restrict__ out) {
#if BY_WARP
  // Two warps share 64 elements: the first takes those of even index.
  const unsigned warp = threadIdx.x / warpSize;
  const unsigned lane = threadIdx.x % warpSize;
  const unsigned element = blockIdx.x * BLOCK + warp / 2 * 64 + 2 * lane + warp % 2;
  const bool even = warp % 2 == 0;
#else
  const unsigned element = blockIdx.x * BLOCK + threadIdx.x;
  const bool even = threadIdx.x % 2 == 0;
#endif
  float x = in[element];
#if COMPUTE_BOTH
  const float take_even = even ? 1.0f : 0.0f;
  x = take_even * even_side<BRANCHED>(x) + (1.0f - take_even) * odd_side<BRANCHED>(x);
#elif EVEN_ODD || BY_WARP
  if (even) {
    x = even_side<BRANCHED>(x);
  } else {
    x = odd_side<BRANCHED>(x);
  }
#endif
#if ROUNDS > BRANCHED
  const float factor = even ? EVEN_FACTOR : ODD_FACTOR;
#pragma unroll 64
  for (int i = BRANCHED; i < ROUNDS; ++i) x = fmaf(x, factor, TERM);
#endif
  out[element] = x;
}

#ifdef WARPTUNE_REFERENCE
__global__ void divergence_reference(const float* in, float* out) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  float x = in[i];
  for (int round = 0; round < ROUNDS; ++round) {
    x = i % 2 == 0 ? fmaf(x, EVEN_FACTOR, TERM) : fmaf(x, ODD_FACTOR, TERM);
  }
  out[i] = x;
}
#endif
