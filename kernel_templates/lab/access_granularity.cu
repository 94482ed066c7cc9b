/* warptune
[kernel]
name = "access_granularity"
description = "small records are read, which are at scattered or at consecutive places in device memory"
entry = "access_granularity"
about = """
Each thread reads WIDTH bytes from a place of its own. The mean of their words is the number of the place. The thread
subtracts this number and writes the number of its record. Places are 128 bytes apart. With ORDER = "scattered",
neighbouring threads read from places that are far apart. Otherwise they read from neighbouring places. OFFSET moves all
records by 16 bytes, so that a record of 32 bytes lies in two sectors.
"""
defines.SCATTERED = 'ORDER == "scattered"'

[problem]
N = { value = 2097152, description = "records, a power of two" }

[parameters]
WIDTH = { values = [4, 16, 32, 64, 128], description = "bytes of a record" }
OFFSET = { values = [0, 16], description = "bytes by which all records are moved" }
ORDER = { values = ["scattered", "consecutive"], description = "places of the records of neighbouring threads" }

[constraints]
list = [
  { expression = "OFFSET == 0 || WIDTH == 32", reason = "only a record of a sector is moved" },
]

[default]
WIDTH = 32
OFFSET = 0
ORDER = "scattered"

[launch]
grid = ["ceil_div(N, 256)"]
block = ["256"]

# All words of a place are the number of the place. So the mean is this number for all widths.
[[argument]]
name = "words"
kind = "in"
type = "u32"
count = "32 * N"
init = { kind = "expression", value = "i // 32" }
[[argument]]
name = "records"
kind = "out"
type = "u32"
count = "N"
[[argument]]
name = "n"
kind = "scalar"
type = "u32"
value = "N"

[check]
reference = "expression"
expression = "(unsigned)i"

[work]
flops = "0"
bytes = "N * 4"
*/

// An odd factor gives each record a place of its own.
__device__ unsigned place_of(unsigned record, unsigned n) {
#if SCATTERED
  return record * 2654435761U & (n - 1);
#else
  return record;
#endif
}

extern "C" __global__ void __launch_bounds__(256)
    access_granularity(const unsigned* __restrict__ words, unsigned* __restrict__ records, unsigned n) {
  const unsigned record = blockIdx.x * 256 + threadIdx.x;
  if (record >= n) return;
  const unsigned place = place_of(record, n);
  const unsigned* const first = words + 32 * place + OFFSET / 4;
#if WIDTH == 4
  const unsigned sum = *first;
#else
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < WIDTH / 16; ++i) {
    const uint4 four = reinterpret_cast<const uint4*>(first)[i];
    sum += four.x + four.y + four.z + four.w;
  }
#endif
  records[record] = sum / (WIDTH / 4) - place + record;
}
