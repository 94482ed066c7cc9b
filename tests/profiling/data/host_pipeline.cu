/* warptune
[kernel]
name = "host_pipeline"
description = "a vector to the GPU, doubled, and back, in pieces; FAULT makes it wrong"
[problem]
N = 1000003
[parameters]
STREAMS = [1, 2, 4]
CHUNKS = [1, 7]
MEMORY = ["pinned", "pageable", "device", "write_combined", "managed"]
SUBMIT = ["stream", "graph"]
FAULT = ["none", "missing copy", "shifted copy", "written input", "past the end"]
[default]
STREAMS = 1
CHUNKS = 1
MEMORY = "pinned"
SUBMIT = "stream"
FAULT = "none"
[host]
streams = "STREAMS"
graph = "SUBMIT == 'graph'"
[[host.loop]]
times = "CHUNKS"
stream = "k % STREAMS"
[[host.loop.step]]
copy.from = "x_host"
copy.to = "x"
copy.offset = "k * ceil_div(N, CHUNKS)"
copy.count = "min(ceil_div(N, CHUNKS), N - k * ceil_div(N, CHUNKS))"
[[host.loop.step]]
launch = "twice"
grid = ["ceil_div(ceil_div(N, CHUNKS), 256)"]
block = [256]
arguments = [
  { name = "x", offset = "k * ceil_div(N, CHUNKS)" },
  { name = "y", offset = "k * ceil_div(N, CHUNKS)" },
  { value = "min(ceil_div(N, CHUNKS), N - k * ceil_div(N, CHUNKS))", type = "i64" },
]
[[host.loop.step]]
when = "FAULT != 'missing copy' || k < CHUNKS - 1"
copy.from = "y"
copy.to = "y_host"
copy.from_offset = "k * ceil_div(N, CHUNKS) + (FAULT == 'shifted copy' && k == 0 ? 1 : 0)"
copy.to_offset = "k * ceil_div(N, CHUNKS)"
copy.count = "min(ceil_div(N, CHUNKS), N - k * ceil_div(N, CHUNKS)) - (FAULT == 'shifted copy' && k == 0 ? 1 : 0)"
[[host.loop]]
when = "FAULT == 'written input'"
[[host.loop.step]]
copy = { from = "y", to = "x_host", count = 1 }
[[host.loop]]
when = "FAULT == 'past the end'"
[[host.loop.step]]
launch = "twice"
grid = [1]
block = [32]
arguments = ["x", { name = "y_host", offset = "N - 1" }, { value = 2, type = "i64" }]
[[argument]]
name = "x_host"
kind = "in"
type = "f32"
count = "N"
memory = "MEMORY"
[[argument]]
name = "y_host"
kind = "out"
type = "f32"
count = "N"
memory = "MEMORY"
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
[check]
reference = "expression"
expression = "2 * x_host[i]"
*/
extern "C" __global__ void twice(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
