/* warptune
[kernel]
name = "host_faults"
description = "programs with one fault each (FAULT), which PLANTED = 0 leaves out; all double the same numbers"
entry = "twice"
[problem]
N = 8388608
M = 65536
[parameters]
FAULT = [
  "pageable_copies", "small_copies", "copy_bound", "host_waits", "launch_bound", "allocation_in_loop",
  "serial_streams", "serial_kernels",
]
PLANTED = [1, 0]
[default]
FAULT = "pageable_copies"
PLANTED = 1

[host]
streams = 'FAULT == "serial_streams" || (FAULT == "copy_bound" && PLANTED == 0) ? 4 : 1'

# Long kernels after copies of pageable memory. Copies of pinned memory are a small part of the same program.
[[host.loop]]
when = 'FAULT == "pageable_copies"'
times = "4"
[[host.loop.step]]
copy = { from = "x_host", to = "x", offset = "k * (N / 4)", count = "N / 4" }
[[host.loop.step]]
launch = "twice"
grid = ["N / 4 / 256"]
block = [256]
arguments = [
  { name = "x", offset = "k * (N / 4)" }, "y",
  { value = "k * (N / 4)", type = "i64" }, { value = "60000", type = "i32" }, "m",
]

# 64 copies of 4 KiB, or one of all the bytes.
[[host.loop]]
when = 'FAULT == "small_copies" && PLANTED == 1'
times = "64"
[[host.loop.step]]
copy = { from = "x_host", to = "x", offset = "k * (M / 64)", count = "M / 64" }
[[host.loop]]
when = 'FAULT == "small_copies" && PLANTED == 0'
[[host.loop.step]]
copy = { from = "x_host", to = "x", count = "M" }
[[host.loop]]
when = 'FAULT == "small_copies"'
[[host.loop.step]]
launch = "twice"
grid = ["N / 8 / 256"]
block = [256]
arguments = ["x", "y", { value = "0", type = "i64" }, { value = "15000", type = "i32" }, "m"]

# Pieces are copied before their kernels: all on one stream, or on four.
[[host.loop]]
when = 'FAULT == "copy_bound"'
times = "32"
stream = "PLANTED == 1 ? 0 : k % 4"
[[host.loop.step]]
copy = { from = "x_host", to = "x", offset = "k * (N / 32)", count = "N / 32" }
[[host.loop.step]]
launch = "twice"
grid = ["N / 32 / 256"]
block = [256]
arguments = [
  { name = "x", offset = "k * (N / 32)" }, "y",
  { value = "k * (N / 32)", type = "i64" }, { value = "8000", type = "i32" }, "m",
]

# The same on four streams, with kernels as long as the copies. The host waits for each piece, or not.
[[host.loop]]
when = 'FAULT == "serial_streams"'
times = "32"
stream = "k % 4"
[[host.loop.step]]
copy = { from = "x_host", to = "x", offset = "k * (N / 32)", count = "N / 32" }
[[host.loop.step]]
launch = "twice"
grid = ["N / 32 / 256"]
block = [256]
arguments = [
  { name = "x", offset = "k * (N / 32)" }, "y",
  { value = "k * (N / 32)", type = "i64" }, { value = "3000", type = "i32" }, "m",
]
[[host.loop.step]]
when = "PLANTED == 1"
synchronise = true

# Kernels that fill the GPU for some microseconds, each awaited by the host, or not.
[[host.loop]]
when = 'FAULT == "host_waits"'
times = "40"
[[host.loop.step]]
launch = "twice"
grid = ["N / 8 / 256"]
block = [256]
arguments = ["x_host", "y", { value = "0", type = "i64" }, { value = "500", type = "i32" }, "m"]
[[host.loop.step]]
when = "PLANTED == 1"
synchronise = true

# 300 kernels that are shorter than their launches, or 20 long ones.
[[host.loop]]
when = 'FAULT == "launch_bound"'
times = "PLANTED == 1 ? 300 : 20"
[[host.loop.step]]
launch = "twice"
grid = ["(PLANTED == 1 ? M : N / 8) / 256"]
block = [256]
arguments = [
  "x_host", "y", { value = "0", type = "i64" }, { value = "PLANTED == 1 ? 1 : 2000", type = "i32" }, "m",
]

# Memory is allocated and freed before each kernel, or not.
[[host.loop]]
when = 'FAULT == "allocation_in_loop"'
times = "20"
[[host.loop.step]]
when = "PLANTED == 1"
allocate = "64 * 1024 * 1024"
[[host.loop.step]]
launch = "twice"
grid = ["N / 8 / 256"]
block = [256]
arguments = ["x_host", "y", { value = "0", type = "i64" }, { value = "2000", type = "i32" }, "m"]

# 16 kernels of 16 blocks in a row, or one kernel of all the blocks.
[[host.loop]]
when = 'FAULT == "serial_kernels"'
times = "PLANTED == 1 ? 16 : 1"
[[host.loop.step]]
launch = "twice"
grid = ["(PLANTED == 1 ? M / 16 : M) / 256"]
block = [256]
arguments = [
  { name = "x_host", offset = "k * (M / 16)" }, "y",
  { value = "k * (M / 16)", type = "i64" }, { value = "40000", type = "i32" }, "m",
]

[[argument]]
name = "x_host"
kind = "in"
type = "f32"
count = "N"
memory = '''
  FAULT == "pageable_copies" && PLANTED == 1 ? "pageable" :
  FAULT == "pageable_copies" || FAULT == "small_copies" || FAULT == "copy_bound" || FAULT == "serial_streams" ?
  "pinned" : "device"'''
[[argument]]
name = "y"
kind = "out"
type = "f32"
count = "M"
[[argument]]
name = "x"
kind = "scratch"
type = "f32"
count = "N"
[[argument]]
name = "m"
kind = "scalar"
type = "i64"
value = "M"

[check]
reference = "expression"
expression = "2 * x_host[i]"
*/

// Doubles the numbers first, first + 1, ... of which `x` has the first. It keeps the first m of them.
extern "C" __global__ void twice(const float* x, float* y, long long first, int rounds, long long m) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  float one = rounds > 0 ? 1.0f : x[i];  // Unknown to the compiler.
  float v = x[i];
  for (int round = 0; round < rounds; ++round) v = fmaf(v, one, 0.0f * one);
  if (first + i < m)
    y[first + i] = 2 * v;
  else if (v == 1e30f)
    y[0] = v;
}
