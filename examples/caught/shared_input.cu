/* warptune
[kernel]
name = "caught_shared_input"
description = "squares pieces of a vector on two streams; the textbook has one input buffer for both streams"

[problem]
N = { value = 8388608, description = "elements" }

[parameters]
TEXTBOOK = { values = [true, false], description = "one buffer on the GPU for both streams, or one for each" }

[constraints]
list = [{ expression = "N % 2048 == 0", reason = "all pieces are equal and have whole blocks" }]

[default]
TEXTBOOK = true

[host]
streams = "2"

[[host.loop]]
times = "8"
stream = "k % 2"

[[host.loop.step]]
copy.from = "in_host"
copy.to = "in"
copy.from_offset = "k * (N / 8)"
copy.to_offset = "TEXTBOOK ? 0 : k % 2 * (N / 8)"
copy.count = "N / 8"

[[host.loop.step]]
launch = "squares"
grid = ["N / 8 / 256"]
block = ["256"]
arguments = [
  { name = "in", offset = "TEXTBOOK ? 0 : k % 2 * (N / 8)" },
  { name = "out", offset = "k % 2 * (N / 8)" },
]

[[host.loop.step]]
copy.from = "out"
copy.to = "out_host"
copy.from_offset = "k % 2 * (N / 8)"
copy.to_offset = "k * (N / 8)"
copy.count = "N / 8"

[[argument]]
name = "in_host"
kind = "in"
type = "f32"
count = "N"
memory = "pinned"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "out_host"
kind = "out"
type = "f32"
count = "N"
memory = "pinned"

[[argument]]
name = "in"
kind = "scratch"
type = "f32"
count = "N / 4"

[[argument]]
name = "out"
kind = "scratch"
type = "f32"
count = "N / 4"

[check]
reference = "entry"
entry = "squares_reference"
grid = ["N / 256"]
block = ["256"]
absolute = 0.0
relative = 0.0

[work]
bytes = "8 * N"
*/

extern "C" __global__ void squares(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * in[i];
}

#ifdef WARPTUNE_REFERENCE
extern "C" __global__ void squares_reference(const float* in, float* out, float*, float*) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * in[i];
}
#endif
