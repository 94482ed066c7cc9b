/* warptune
[kernel]
name = "registers_reload"
description = "a running value and two constants, kept in registers or loaded again in every round"
entry = "registers_reload"
about = """
Each thread applies ROUNDS multiply-adds to its number of `values`, with a factor and a summand that are read through
pointers. KEEP says where values are kept:

- `stored`: the running value is stored in every round. The compiler has to load factor and summand again after each
  store, because the store may have changed them.
- `restrict`: the same source, with pointers that are promised not to overlap.
- `register`: factor and summand are copied into variables before the loop, and the running value is kept in a variable.
- `rare`: the running value is kept in a variable, too. But the loop has a store through another pointer, in case of an
  overflow that never happens. Because it might happen, factor and summand have to be loaded again.
"""
defines.STORED = 'KEEP == "stored" || KEEP == "restrict"'
defines.NO_OVERLAP = 'KEEP == "restrict"'
defines.RARELY_STORED = 'KEEP == "rare"'

[problem]
ROUNDS = { value = 1024, description = "multiply-adds of a thread" }

[parameters]
KEEP = { values = ["stored", "restrict", "rare", "register"], description = "where values live between rounds" }

[default]
KEEP = "stored"

[launch]
grid = ["device_sm_count * device_max_threads_per_sm / 256"]
block = ["256"]

[[argument]]
name = "values"
kind = "inout"
type = "f32"
count = "device_sm_count * device_max_threads_per_sm"
init = { kind = "uniform", low = -1.0, high = 1.0, seed = 1 }

[[argument]]
name = "factor"
kind = "in"
type = "f32"
count = "1"
init = { kind = "constant", value = 0.999 }

[[argument]]
name = "summand"
kind = "in"
type = "f32"
count = "1"
init = { kind = "constant", value = 0.001 }

[[argument]]
name = "overflow"
kind = "scratch"
type = "f32"
count = "1"

[[argument]]
name = "rounds"
kind = "scalar"
type = "i32"
value = "ROUNDS"

# The reference executes the same operations in the same order.
[check]
reference = "entry"
entry = "registers_reload_reference"
grid = ["device_sm_count * device_max_threads_per_sm / 256"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
flops = "2 * device_sm_count * device_max_threads_per_sm * ROUNDS"
bytes = "8 * device_sm_count * device_max_threads_per_sm"
*/
#if NO_OVERLAP
#define POINTER __restrict__
#else
#define POINTER
#endif

extern "C" __global__ void __launch_bounds__(256)
    registers_reload(float* POINTER values, const float* POINTER factor, const float* POINTER summand,
                     float* POINTER overflow, int rounds) {
  const int i = blockIdx.x * 256 + threadIdx.x;
#if STORED
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) values[i] = fmaf(values[i], *factor, *summand);
#else
  float value = values[i];
#if RARELY_STORED
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    value = fmaf(value, *factor, *summand);
    if (value > 1000.0f) *overflow = value;
  }
#else
  const float by = *factor;
  const float plus = *summand;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) value = fmaf(value, by, plus);
#endif
  values[i] = value;
#endif
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void registers_reload_reference(float* values, const float* factor,
                                                      const float* summand, float*, int rounds) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float value = values[i];
  for (int round = 0; round < rounds; ++round) value = fmaf(value, *factor, *summand);
  values[i] = value;
}
#endif
