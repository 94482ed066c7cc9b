// The source of the kernels that check buffers and keep the GPU busy. `DeviceHelpers` launches them.
#pragma once

namespace warptune::profiling::driver {

/// The program is `kDeviceBasics` and then this text. Its `Finding` has the layout of `CheckResult`, its
/// `SpinRecord` that of the host's `SpinRecord`.
inline constexpr const char* kHelperKernels = R"cuda(
struct Finding {
  u64 count;
  u64 first_complement;
  double largest_error;
};

__device__ void report(Finding* finding, u64 count, u64 first, double largest) {
  if (count == 0) return;
  atomicAdd(&finding->count, count);
  atomicMax(&finding->first_complement, ~first);
  atomicMax(reinterpret_cast<u64*>(&finding->largest_error), (u64)__double_as_longlong(largest));
}

__device__ bool differs(double x, double r, double absolute, double relative, double* error) {
  const double infinity = __longlong_as_double(0x7FF0000000000000LL);
  *error = infinity;
  const bool x_nan = x != x;
  const bool r_nan = r != r;
  if (x_nan || r_nan) return x_nan != r_nan;
  if (fabs(x) == infinity || fabs(r) == infinity) return x != r;
  *error = fabs(x - r);
  return !(*error <= absolute + relative * fabs(r));
}

#define COMPARE_REAL(name, storage)                                                    \
  extern "C" __global__ void warptune_compare_##name(const storage* found, const storage* expected, u64 key,   \
                                                     u64 count, double absolute, double relative,              \
                                                     Finding* finding) {                                       \
    u64 wrong = 0, first = ~0ULL;                                                      \
    double largest = 0.0, error = 0.0;                                                 \
    GRID_STRIDE(i, count) {                                                            \
      const storage r = unmasked(expected, key, i);                                    \
      if (!differs(decode_##name(found[i]), decode_##name(r), absolute, relative, &error)) continue; \
      ++wrong;                                                                         \
      if (i < first) first = i;                                                        \
      if (error > largest) largest = error;                                            \
    }                                                                                  \
    report(finding, wrong, first, largest);                                            \
  }
COMPARE_REAL(f16, u16)
COMPARE_REAL(bf16, u16)
COMPARE_REAL(f32, float)
COMPARE_REAL(f64, double)

#define COMPARE_INTEGER(name, storage)                                                 \
  extern "C" __global__ void warptune_compare_##name(const storage* found, const storage* expected, u64 key,   \
                                                     u64 count, double absolute, double relative,              \
                                                     Finding* finding) {                                       \
    u64 wrong = 0, first = ~0ULL;                                                      \
    double largest = 0.0;                                                              \
    GRID_STRIDE(i, count) {                                                            \
      const storage x = found[i], r = unmasked(expected, key, i);                      \
      if (x == r) continue;                                                            \
      const double error = (double)(x > r ? (u64)x - (u64)r : (u64)r - (u64)x);        \
      const double bound = absolute + relative * fabs((double)r);                      \
      if (bound > 0.0 && error <= bound) continue;                                     \
      ++wrong;                                                                         \
      if (i < first) first = i;                                                        \
      if (error > largest) largest = error;                                            \
    }                                                                                  \
    report(finding, wrong, first, largest);                                            \
  }
COMPARE_INTEGER(i8, signed char)
COMPARE_INTEGER(i16, short)
COMPARE_INTEGER(i32, int)
COMPARE_INTEGER(i64, long long)
COMPARE_INTEGER(u8, u8)
COMPARE_INTEGER(u16, u16)
COMPARE_INTEGER(u32, u32)
COMPARE_INTEGER(u64, u64)

// Both may end within a word: the memory behind belongs to a guard, or is allocated for it.
extern "C" __global__ void warptune_mask(const u64* source, u64* target, u64 words, u64 key) {
  GRID_STRIDE(i, words) target[i] = source[i] ^ split_mix64(key + i);
}

extern "C" __global__ void warptune_exchange(u8* a, u8* b, u64 bytes) {
  ulonglong2* wide_a = reinterpret_cast<ulonglong2*>(a);
  ulonglong2* wide_b = reinterpret_cast<ulonglong2*>(b);
  GRID_STRIDE(i, bytes / 16) {
    const ulonglong2 kept = wide_a[i];
    wide_a[i] = wide_b[i];
    wide_b[i] = kept;
  }
  if (blockIdx.x == 0 && threadIdx.x < bytes % 16) {
    const u64 i = bytes - bytes % 16 + threadIdx.x;
    const u8 kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

extern "C" __global__ void warptune_check_guards(const u8* before, const u8* after, Finding* finding) {
  const u32 i = threadIdx.x;
  const u8 expected = (u8)(i * 37u + 0x5Bu);
  if (before[i] != expected) report(finding, 1, i, 0.0);
  if (after[i] != expected) report(finding, 1, i + 256u, 0.0);
}

// The bytes of padding are counted from 0, row by row.
extern "C" __global__ void warptune_check_padding(const u8* data, u64 row_bytes, u64 pitch_bytes, u64 count,
                                                  u32 expected, Finding* finding) {
  const u64 padding = pitch_bytes - row_bytes;
  u64 wrong = 0, first = ~0ULL;
  GRID_STRIDE(i, count) {
    if (data[i / padding * pitch_bytes + row_bytes + i % padding] == expected) continue;
    ++wrong;
    if (i < first) first = i;
  }
  report(finding, wrong, first, 0.0);
}

// One atomic addition a block: those of all threads to one place would take ten times as long as reading the data.
__device__ u64 sum_of_block(u64 sum) {
  __shared__ u64 sums[32];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (u32 i = 0; i < blockDim.x / 32; ++i) sum += sums[i];
  return sum;
}

extern "C" __global__ void warptune_checksum(const u8* data, u64 bytes, Finding* finding) {
  const u64* words = reinterpret_cast<const u64*>(data);
  u64 sum = 0;
  GRID_STRIDE(i, bytes / 8) sum += split_mix64(words[i] + i * 0x9E3779B97F4A7C15ULL);
  if (blockIdx.x == 0 && threadIdx.x < bytes % 8) {
    const u64 i = bytes - bytes % 8 + threadIdx.x;
    sum += split_mix64(data[i] + (~i - 1) * 0x9E3779B97F4A7C15ULL);
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(&finding->count, sum);
}

__device__ u64 now_ns() {
  u64 time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

struct SpinRecord {
  u64 cycles, ns;
};

extern "C" __global__ void warptune_hold(u64 cycles, SpinRecord* record) {
  const u64 started_ns = now_ns();
  const u64 started = clock64();
  u64 passed = 0;
  while ((passed = clock64() - started) < cycles) {
  }
  if (record != nullptr) {
    record->ns = now_ns() - started_ns;
    record->cycles = passed;
  }
}

// Reads all of it, so that nothing else is left in L2, and nothing there waits to be written back. The store cannot
// happen: the memory holds zeros.
extern "C" __global__ void warptune_sweep(ulonglong2* data, u64 count) {
  u64 seen = 0;
  GRID_STRIDE(i, count) {
    const ulonglong2 pair = data[i];
    seen |= pair.x | pair.y;
  }
  if (seen != 0) data[0].x = seen;
}

extern "C" __global__ void warptune_spin(u64 ns) {
  const u64 started = now_ns();
  while (now_ns() - started < ns) {
  }
}

extern "C" __global__ void warptune_timer_step(SpinRecord* record) {
  u64 least = ~0ULL;
  u64 last = now_ns();
  for (int changes = 0; changes < 20;) {
    const u64 now = now_ns();
    if (now == last) continue;
    if (now - last < least) least = now - last;
    last = now;
    ++changes;
  }
  record->ns = least;
}
)cuda";

}  // namespace warptune::profiling::driver
