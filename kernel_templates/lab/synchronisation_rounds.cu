/* warptune
[kernel]
name = "synchronisation_rounds"
description = """\
  threads that exchange a value with a neighbour of their warp in every round, under barriers of a block or of a warp"""
entry = "synchronisation_rounds"
about = """
In every round each thread combines its value with that of the next lane of its warp. Where values go through shared
memory, a round needs one synchronisation, because two buffers take turns. A barrier of the block (SYNC = block) is more
than is needed. A barrier of the warp suffices, and a shuffle needs neither memory nor barrier. BARRIERS is the number
of synchronisations in a round. All but one of them are redundant.

Each thread also does arithmetic: WORK multiply-adds per round with SHARE = even. With SHARE = turns, one warp of the
block does the work of a round for all warps, and another warp does it in the next round. Over all rounds every warp
does the same work, so that the two differ only in what barriers cost.
"""
defines = { SYNC_BLOCK = 'SYNC == "block"', SYNC_WARP = 'SYNC == "warp"', IN_TURNS = 'SHARE == "turns"' }

[problem]
ROUNDS = { value = 512, description = "rounds; a multiple of 32, so that every warp has the same number of turns" }
WORK = { value = 8, description = "average multiply-adds per thread and round" }

[parameters]
SYNC.values = ["block", "warp", "shuffle"]
SYNC.description = "shared memory under __syncthreads or under __syncwarp, or a shuffle"
BARRIERS = { values = [1, 2, 4, 8, 16], description = "synchronisations per round" }
SHARE = { values = ["even", "turns"], description = "whether all warps work in a round, or one at a time for all" }
BLOCK = { values = [64, 128, 256, 512, 1024], description = "threads per block" }

[constraints]
list = [
  { expression = 'SYNC != "shuffle" || BARRIERS == 1', reason = "a shuffle needs no further synchronisation" },
  { expression = "device_sm_count * device_max_threads_per_sm % BLOCK == 0", reason = """\
    the grid consists of whole blocks""" },
]

[default]
SYNC = "block"
BARRIERS = 1
SHARE = "even"
BLOCK = 256

[launch]
grid = ["device_sm_count * device_max_threads_per_sm / BLOCK"]
block = ["BLOCK"]

[[argument]]
name = "in"
kind = "in"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"

[[argument]]
name = "rounds"
kind = "scalar"
type = "i32"
value = "ROUNDS"

[[argument]]
name = "work"
kind = "scalar"
type = "i32"
value = "WORK"

# The reference executes the same operations in the same order.
[check]
reference = "entry"
entry = "synchronisation_rounds_reference"
grid = ["device_sm_count * device_max_threads_per_sm / 64"]
block = ["64"]
absolute = 0.0
relative = 0.0

[work]
flops = "device_sm_count * device_max_threads_per_sm * ROUNDS * 2 * (WORK + 1)"
bytes = "device_sm_count * device_max_threads_per_sm * 8"
*/

__device__ __forceinline__ float join(float value, float other) { return 0.5f * (value + other); }
__device__ __forceinline__ float step(float state) { return fmaf(state, 0.999f, 0.001f); }

extern "C" __global__ void __launch_bounds__(BLOCK)
    synchronisation_rounds(const float* in, float* out, int rounds, int work) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const int neighbour = (threadIdx.x & ~31) | ((threadIdx.x + 1) & 31);
  float value = in[i];
  float state = value;
#if SYNC_BLOCK || SYNC_WARP
  __shared__ float buffers[2][BLOCK];
#endif
#if IN_TURNS
  constexpr int kWarps = BLOCK / 32;
  const int warp = threadIdx.x / 32;
#endif
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#if IN_TURNS
    const int steps = round % kWarps == warp ? work * kWarps : 0;
#else
    const int steps = work;
#endif
#pragma unroll 4
    for (int k = 0; k < steps; ++k) state = step(state);

#if SYNC_BLOCK || SYNC_WARP
    float* buffer = buffers[round % 2];
    buffer[threadIdx.x] = value;
#pragma unroll
    for (int barrier = 0; barrier < BARRIERS; ++barrier) {
#if SYNC_BLOCK
      __syncthreads();
#else
      __syncwarp();
#endif
    }
    value = join(value, buffer[neighbour]);
#else
    value = join(value, __shfl_sync(0xffffffffu, value, neighbour % 32));
#endif
  }
  out[i] = value + state;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void synchronisation_rounds_reference(const float* in, float* out, int rounds,
                                                            int work) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  float value = in[i];
  float state = value;
  for (int round = 0; round < rounds; ++round) {
    value = join(value, __shfl_sync(0xffffffffu, value, (threadIdx.x + 1) % 32));
    for (int k = 0; k < work; ++k) state = step(state);
  }
  out[i] = value + state;
}
#endif
