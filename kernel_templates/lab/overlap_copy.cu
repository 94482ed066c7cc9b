/* warptune
[kernel]
name = "overlap_copy"
description = "a vector from the host to the GPU or back, whole or in pieces, from pinned or pageable memory"
about = """
One copy engine copies from the host to the GPU, or back. The vector may be cut into PIECES copies on one stream, as in
a program that sends many small arrays.
"""

[problem]
N = { value = 8388608, description = "elements" }

[parameters]
PART = { values = ["in", "out"], description = "host to GPU, or GPU to host" }
PIECES = { values = [1, 16, 64, 256, 1024, 4096], description = "copies of equal length" }
MEMORY = { values = ["pinned", "pageable"], description = "the host's memory" }

[default]
PART = "in"
PIECES = 1
MEMORY = "pinned"

[host]
[[host.loop]]
times = "PIECES"
[[host.loop.step]]
copy.from = "from"
copy.to = "to"
copy.offset = "k * ceil_div(N, PIECES)"
copy.count = "min(ceil_div(N, PIECES), N - k * ceil_div(N, PIECES))"
[[argument]]
name = "from"
kind = "in"
type = "f32"
count = "N"
memory = 'PART == "in" ? MEMORY : "device"'
[[argument]]
name = "to"
kind = "out"
type = "f32"
count = "N"
memory = 'PART == "out" ? MEMORY : "device"'
[[argument]]
name = "n"
kind = "scalar"
type = "i64"
value = "N"

[check]
reference = "expression"
expression = "from[i]"
absolute = 0.0
relative = 0.0

[work]
bytes = "N * 4"
*/

// Copies need no kernel.
