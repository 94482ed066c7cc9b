/* warptune
[kernel]
name = "unrolling_loads"
description = "a loop around one load from memory, unrolled or not"
entry = "unrolling_loads"
about = """
The kernel adds up N integers. With T threads, each thread adds every T-th integer in a loop whose body is one load and
one addition. The number of rounds is not known when the kernel is compiled. Where the loop is unrolled, the loads of
several rounds are issued before the first of them is needed, so that a warp waits once for all of them. The loop is
unrolled UNROLL times by `#pragma unroll` (FORM = pragma), written out by hand, or left to the compiler (FORM = none).
BLOCKS_PER_SM blocks of 256 threads stay on an SM; 0 means as many as fit.
"""
defines = { BY_PRAGMA = 'FORM == "pragma"', BY_HAND = 'FORM == "hand"' }

[problem]
ROUNDS = { value = 1536, description = "elements per thread where an SM has one block; a multiple of 24" }

[parameters]
FORM.values = ["none", "pragma", "hand"]
FORM.description = "who unrolls the loop: none = the compiler decides, pragma = a pragma, hand = it is written out"
UNROLL.values = [1, 2, 4, 8, 16, 32]
UNROLL.when = 'FORM != "none"'
UNROLL.otherwise = 1
UNROLL.description = "rounds of the loop that are combined into one"
BLOCKS_PER_SM = { values = [0, 1, 2, 4], description = "blocks per SM; 0: as many as fit" }

[constraints]
list = [
  { expression = 'FORM != "hand" || UNROLL == 4 || UNROLL == 8', reason = """\
    only so many rounds are written out by hand""" },
]

[default]
FORM = "none"
UNROLL = 1
BLOCKS_PER_SM = 1

[launch]
grid = ["device_sm_count * (BLOCKS_PER_SM == 0 ? device_max_threads_per_sm / 256 : BLOCKS_PER_SM)"]
block = ["256"]

[[argument]]
name = "in"
kind = "in"
type = "i32"
count = "256 * ROUNDS * device_sm_count"
init = { kind = "uniform", low = -100.0, high = 100.0, seed = 1 }

[[argument]]
name = "result"
kind = "inout"
type = "i32"
count = "1"
init = { kind = "constant", value = 0 }

[[argument]]
name = "n"
kind = "scalar"
type = "i32"
value = "256 * ROUNDS * device_sm_count"

# Integer sums that overflow wrap, so they are the same in any order.
[check]
reference = "entry"
entry = "unrolling_loads_reference"
grid = ["1024"]
block = ["256"]

[work]
flops = "0"
bytes = "4 * 256 * ROUNDS * device_sm_count"
*/

extern "C" __global__ void __launch_bounds__(256) unrolling_loads(const int* in, int* result, int n) {
  const int threads = gridDim.x * 256;
  const int rounds = n / threads;
  in += blockIdx.x * 256 + threadIdx.x;
  int sum = 0;
#if BY_HAND
  int round = 0;
#pragma unroll 1
  for (; round + UNROLL <= rounds; round += UNROLL) {
    const int a = in[round * threads];
    const int b = in[(round + 1) * threads];
    const int c = in[(round + 2) * threads];
    const int d = in[(round + 3) * threads];
#if UNROLL == 8
    const int e = in[(round + 4) * threads];
    const int f = in[(round + 5) * threads];
    const int g = in[(round + 6) * threads];
    const int h = in[(round + 7) * threads];
    sum += e + f + g + h;
#endif
    sum += a + b + c + d;
  }
#pragma unroll 1
  for (; round < rounds; ++round) sum += in[round * threads];
#else
#if BY_PRAGMA
#pragma unroll UNROLL
#endif
  for (int round = 0; round < rounds; ++round) sum += in[round * threads];
#endif
  atomicAdd(result, sum);
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void unrolling_loads_reference(const int* in, int* result, int n) {
  int sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
  atomicAdd(result, sum);
}
#endif
