/* warptune
[kernel]
name = "overlap"
description = "a vector is copied to the GPU, processed and copied back, in pieces on one stream or several"
entry = "overlap_work"
about = """
A program whose data is on the host copies it to the GPU, runs a kernel on it, and copies the result back. With STREAMS
= 1 these steps follow one another. The vector can be cut into CHUNKS pieces on several streams. Then one piece can be
copied to the GPU while the kernel processes another and the result of a third is copied back. So three units of the GPU
work at the same time. That needs page-locked (pinned) memory, which the copy engines read and write by themselves. From
pageable memory, the driver copies with the host's help.

METHOD = "mapped" copies nothing: the kernel reads and writes the host's pinned memory itself. METHOD = "resident" is
the kernel alone, on data that is on the GPU.
"""

[problem]
N = { value = 8388608, description = "elements" }

[parameters]
METHOD.values = ["copies", "mapped", "resident"]
METHOD.description = """\
  copies and kernels, a kernel that works on the host's memory, or one that works on the GPU's memory"""
STREAMS = { values = [1, 2, 3, 4], description = "streams that the pieces take in turn" }
CHUNKS = { values = [1, 4, 8, 16, 32], description = "pieces of the vector" }
MEMORY = { values = ["pinned", "pageable"], description = "the host's memory" }
WORK = { values = [1, 512, 1024, 2048, 4096], description = "multiply-adds per element" }
BLOCK = { values = [128, 256, 512], description = "threads per block" }

[constraints]
list = [
  { expression = "STREAMS <= CHUNKS", reason = "a stream without a piece does nothing" },
  { expression = 'METHOD == "copies" || (CHUNKS == 1 && MEMORY == "pinned")', reason = """\
    a GPU reads pinned memory only, and no copies can be cut into pieces""" },
]

[default]
METHOD = "copies"
STREAMS = 1
CHUNKS = 1
MEMORY = "pinned"
WORK = 2048
BLOCK = 256

[host]
streams = "STREAMS"
[[host.loop]]
times = "CHUNKS"
stream = "k % STREAMS"
when = 'METHOD == "copies"'
[[host.loop.step]]
copy.from = "x_host"
copy.to = "x"
copy.offset = "k * ceil_div(N, CHUNKS)"
copy.count = "min(ceil_div(N, CHUNKS), N - k * ceil_div(N, CHUNKS))"
[[host.loop.step]]
launch = "overlap_work"
grid = ["ceil_div(ceil_div(N, CHUNKS), BLOCK)"]
block = ["BLOCK"]
arguments = [
  { name = "x", offset = "k * ceil_div(N, CHUNKS)" },
  { name = "y", offset = "k * ceil_div(N, CHUNKS)" },
  { value = "min(ceil_div(N, CHUNKS), N - k * ceil_div(N, CHUNKS))", type = "i64" },
]
[[host.loop.step]]
copy.from = "y"
copy.to = "y_host"
copy.offset = "k * ceil_div(N, CHUNKS)"
copy.count = "min(ceil_div(N, CHUNKS), N - k * ceil_div(N, CHUNKS))"
[[host.loop]]
when = 'METHOD != "copies"'
[[host.loop.step]]
launch = "overlap_work"
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
arguments = ["x_host", "y_host", "n"]

[[argument]]
name = "x_host"
kind = "in"
type = "f32"
count = "N"
memory = 'METHOD == "resident" ? "device" : MEMORY'
[[argument]]
name = "y_host"
kind = "out"
type = "f32"
count = "N"
memory = 'METHOD == "resident" ? "device" : MEMORY'
[[argument]]
name = "x"
kind = "scratch"
type = "f32"
count = "N"
[[argument]]
name = "y"
kind = "scratch"
type = "f32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

# The reference executes the same multiply-adds in the same order.
[check]
reference = "entry"
entry = "overlap_reference"
grid = ["ceil_div(N, 256)"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
bytes = "2 * N * 4"
*/

// A chain that stays between -1 and 3 whatever it starts from, and whose every step is needed.
__device__ float chain(float x) {
  for (int i = 0; i < WORK; ++i) x = fmaf(x, 0.5f, 0.5f);
  return x;
}

extern "C" __global__ void __launch_bounds__(BLOCK) overlap_work(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
  if (i < n) y[i] = x[i] + chain(x[i]);
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void overlap_reference(const float* x, float* result, const float*, float*,
                                             long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) result[i] = x[i] + chain(x[i]);
}
#endif
