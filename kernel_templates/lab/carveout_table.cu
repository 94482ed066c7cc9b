/* warptune
[kernel]
name = "carveout_table"
description = "sums of a table that all blocks read many times, with a preferred share of shared memory"
entry = "carveout_table"
about = """
Each block reads the same table of `words` numbers `passes` times, and its threads add up what they read. The kernel has
no shared memory. An SM has one memory for L1 and for shared memory. CARVEOUT is the share of it that the kernel prefers
as shared memory, in percent. What is not shared memory is L1.
"""

[problem]
words = { value = 24576, description = "numbers of 4 bytes in the table" }
passes = { value = 64, description = "times that a block reads the table" }

[parameters]
CARVEOUT = { values = [-1, 0, 50, 100], description = "preferred share of shared memory; -1: the driver chooses" }

[default]
CARVEOUT = -1

[launch]
grid = ["device_sm_count"]
block = ["1024"]
carveout = "CARVEOUT"

[[argument]]
name = "table"
kind = "in"
type = "u32"
count = "words"
init = { kind = "expression", value = "i * 40503 % 65521" }
[[argument]]
name = "sums"
kind = "out"
type = "u32"
count = "device_sm_count * 1024"
[[argument]]
name = "words"
kind = "scalar"
type = "i32"
value = "words"
[[argument]]
name = "passes"
kind = "scalar"
type = "i32"
value = "passes"

[check]
reference = "entry"
entry = "carveout_table_reference"
grid = ["device_sm_count"]
block = ["1024"]

[work]
flops = "0"
bytes = "words * 4 + device_sm_count * 4096"
*/

// The words start one further in each pass, so that no thread reads the same word in two passes.
extern "C" __global__ void __launch_bounds__(1024)
    carveout_table(const unsigned* __restrict__ table, unsigned* __restrict__ sums, int words, int passes) {
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const int first = (threadIdx.x + 32 * pass) % 1024;
#pragma unroll 8
    for (int i = first; i < words; i += 1024) sum += table[i];
  }
  sums[blockIdx.x * 1024 + threadIdx.x] = sum;
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void carveout_table_reference(const unsigned* table, unsigned* sums, int words,
                                                    int passes) {
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (int i = (threadIdx.x + 32 * pass) % 1024; i < words; i += 1024) sum += table[i];
  sums[blockIdx.x * 1024 + threadIdx.x] = sum;
}
#endif
