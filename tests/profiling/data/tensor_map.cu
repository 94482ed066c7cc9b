/* warptune
[kernel]
name = "tensor_map"
description = "copies boxes of a matrix with the tensor memory accelerator, one box for each block"
entry = "copy_boxes"

[problem]
ROWS = 50
COLUMNS = 100
PITCH = 112

[parameters]
WIDTH = [16, 32]
HEIGHT = [8, 16]
SWIZZLE = [0, 64]

[default]
WIDTH = 16
HEIGHT = 8
SWIZZLE = 0

[launch]
grid = ["ceil_div(COLUMNS, WIDTH)", "ceil_div(ROWS, HEIGHT)"]
block = ["32"]

[[argument]]
name = "matrix"
kind = "in"
type = "f32"
count = "(ROWS - 1) * PITCH + COLUMNS"

[[argument]]
name = "out"
kind = "out"
type = "f32"
count = "ROWS * COLUMNS"

[[argument]]
name = "map"
kind = "tensor_map"
of = "matrix"
shape = ["COLUMNS", "ROWS"]
pitch = ["PITCH"]
box = ["WIDTH", "HEIGHT"]
swizzle = "SWIZZLE"
when = "device_compute_capability >= 90"

[[argument]]
name = "rows"
kind = "scalar"
type = "i32"
value = "ROWS"

[[argument]]
name = "columns"
kind = "scalar"
type = "i32"
value = "COLUMNS"

[[argument]]
name = "pitch"
kind = "scalar"
type = "i32"
value = "PITCH"

[check]
reference = "expression"
expression = "matrix[i / columns * pitch + i % columns]"
absolute = 0.0
*/
struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

// Columns and rows beyond the matrix must be read as zeros. A block that finds other values spoils its whole
// box.
__global__ void copy_boxes(const float*, float* out, const __grid_constant__ TensorMap map, int rows,
                           int columns, int) {
#if __CUDA_ARCH__ >= 900
  __shared__ alignas(1024) float box[HEIGHT * WIDTH];
  __shared__ alignas(8) unsigned long long barrier[1];
  const int column0 = static_cast<int>(blockIdx.x) * WIDTH;
  const int row0 = static_cast<int>(blockIdx.y) * HEIGHT;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(box));
  const unsigned wait_at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(wait_at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(wait_at),
                 "n"(4 * WIDTH * HEIGHT)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(to),
        "l"(reinterpret_cast<unsigned long long>(&map)), "r"(column0), "r"(row0), "r"(wait_at)
        : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(wait_at)
        : "memory");
  }
  bool outside_is_zero = true;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = static_cast<int>(threadIdx.x); i < WIDTH * HEIGHT; i += 32) {
      const int row = i / WIDTH;
      const int column = i % WIDTH;
      // The 64-byte swizzle flips bits 4 and 5 of an address by its bits 7 and 8 (PTX ISA, "Swizzling Modes").
      const int byte = 4 * i;
      const float value = box[(SWIZZLE == 64 ? byte ^ (byte >> 3 & 0x30) : byte) / 4];
      const bool inside = row0 + row < rows && column0 + column < columns;
      if (pass == 0) {
        outside_is_zero = outside_is_zero && (inside || value == 0.0f);
      } else if (inside) {
        out[(row0 + row) * columns + column0 + column] = outside_is_zero ? value : 1e30f;
      }
    }
    outside_is_zero = __all_sync(0xffffffffu, outside_is_zero);
  }
#endif
}
