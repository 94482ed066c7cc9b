/* warptune
[kernel]
name = "memory_divergence"
description = "a scaled copy in which the threads of a warp load by different instructions or from different vectors"
entry = "memory_divergence"
about = """
Element i is multiplied by 2 if i is even, and by 3 if i is odd. The vectors `a` and `b` have the same contents.

- METHOD = "together": each thread loads its element of `a`, and then selects the factor.
- "branch": threads of even and of odd number execute a load of their own, both from `a`.
- "two_vectors": threads of even number load from `a`, and the others from `b`.
- "by_warp": warps of even number load from `a`, and the others from `b`.
"""
defines.BRANCH = 'METHOD == "branch"'
defines.TWO_VECTORS = 'METHOD == "two_vectors"'
defines.BY_WARP = 'METHOD == "by_warp"'

[problem]
N = { value = 33554432, description = "elements" }

[parameters]
METHOD.values = ["together", "branch", "two_vectors", "by_warp"]
METHOD.description = "which threads load by which instruction, and from which vector"
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[default]
METHOD = "together"
BLOCK = 256

[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]

[[argument]]
name = "a"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }
[[argument]]
name = "b"
kind = "in"
type = "f32"
count = "N"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }
[[argument]]
name = "scaled"
kind = "out"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "N"

# This is zero, but the compiler does not know that.
[[argument]]
name = "zero"
kind = "scalar"
type = "i32"
value = "0"

[check]
reference = "expression"
expression = "i % 2 ? 3.0f * a[i] : 2.0f * a[i]"
absolute = 0.0
relative = 0.0

[work]
flops = "N"
bytes = "8 * N"
*/

extern "C" __global__ void __launch_bounds__(BLOCK)
    memory_divergence(const float* a, const float* b, float* scaled, int n, int zero) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const bool odd = i % 2 != 0;
#if BRANCH
  float value;
  if (odd)
    value = 3.0f * a[i + zero];
  else
    value = 2.0f * a[i];
  scaled[i] = value;
#elif TWO_VECTORS
  scaled[i] = (odd ? 3.0f : 2.0f) * (odd ? b : a)[i];
#elif BY_WARP
  scaled[i] = (odd ? 3.0f : 2.0f) * (i / 32 % 2 != 0 ? b : a)[i];
#else
  scaled[i] = (odd ? 3.0f : 2.0f) * a[i];
#endif
}
