/* warptune
[kernel]
name = "latency_ladder"
description = "one thread follows a ring of addresses through one of the memories"
entry = "latency_ladder"
about = """
One thread makes `hops` loads. Each load reads the address of the next one, so the time of a hop is the latency of the
memory. The ring has `ring` entries, and a hop goes `step` entries on. With WHERE = "register", there is no load: each
hop is a multiply-add of integers that needs the result of the one before. "shared" is a copy of the ring in shared
memory. "l1" is a plain load. "l2" is a load that L1 does not keep. "device" is the same load from a ring so large that
no hop reads a sector for the second time. "host" is the same ring in the host's pinned memory.
"""
defines.REGISTER = 'WHERE == "register"'
defines.SHARED = 'WHERE == "shared"'
defines.L1 = 'WHERE == "l1"'

[problem]
hops = { value = 32768, description = "loads that follow one another, a multiple of 64" }
ring = { value = 1024, description = "entries of the ring, a power of two; a multiple of 1024" }
step = { value = 9, description = "entries from one hop to the next" }

[parameters]
WHERE = { values = ["register", "shared", "l1", "l2", "device", "host"], description = "where the ring is" }

[constraints]
list = [
  { expression = 'WHERE != "shared" || ring <= 4096', reason = "the copy takes static shared memory" },
]

[default]
WHERE = "l1"

[launch]
grid = ["1"]
block = ["32"]

# Entries are in bytes, so that a load needs no arithmetic for its address.
[[argument]]
name = "next"
kind = "in"
type = "u32"
count = "ring"
memory = 'WHERE == "host" ? "pinned" : "device"'
init = { kind = "expression", value = "(i + step) % ring * 4" }
[[argument]]
name = "last"
kind = "out"
type = "u32"
count = "1"
[[argument]]
name = "hops"
kind = "scalar"
type = "i32"
value = "hops"
[[argument]]
name = "ring"
kind = "scalar"
type = "u32"
value = "ring"
[[argument]]
name = "step"
kind = "scalar"
type = "u32"
value = "step"
# This is one, but the compiler does not know that.
[[argument]]
name = "one"
kind = "scalar"
type = "u32"
value = "1"

# Integers are exact. The ring's length is a power of two, so the product may wrap round.
[check]
reference = "expression"
expression = "(unsigned)hops * step % ring * 4"
*/

extern "C" __global__ void __launch_bounds__(32)
    latency_ladder(const unsigned* next, unsigned* last, int hops, unsigned ring, unsigned step,
                   unsigned one) {
#if SHARED
  __shared__ unsigned shared_ring[4096];
  for (unsigned i = threadIdx.x; i < ring; i += 32) shared_ring[i] = next[i];
  __syncwarp();
  const char* const base = reinterpret_cast<const char*>(shared_ring);
#else
  const char* const base = reinterpret_cast<const char*>(next);
#endif
  if (threadIdx.x != 0) return;
  unsigned at = 0;
#pragma unroll 64
  for (int hop = 0; hop < hops; ++hop) {
#if REGISTER
    at = at * one + step;
#elif SHARED || L1
    at = *reinterpret_cast<const unsigned*>(base + at);
#else
    at = __ldcg(reinterpret_cast<const unsigned*>(base + at));
#endif
  }
#if REGISTER
  at = at % ring * 4;
#endif
  *last = at;
}
