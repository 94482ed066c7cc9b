#pragma once

// How sums of gemm_tc.cu become elements of C, two neighbours at a time.

// Two neighbours of C, as they are stored.
union Pair {
  dtype item[2];
#if IS_TF32
  float2 bits;
#else
  unsigned bits;
#endif
};

__device__ __forceinline__ Pair pack(float low, float high) {
  Pair pair;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && IS_BF16
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair.bits) : "f"(high), "f"(low));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && IS_F16
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair.bits) : "f"(high), "f"(low));
#else
  pair.item[0] = static_cast<dtype>(low);
  pair.item[1] = static_cast<dtype>(high);
#endif
  return pair;
}

// Whether pairs of C, whose rows are `n` long, are aligned.
__device__ __forceinline__ bool pairs_are_aligned(const dtype* c, long long n) {
  return n % 2 == 0 && reinterpret_cast<size_t>(c) % (2 * sizeof(dtype)) == 0;
}

// A predicate instead of a branch: the assembler takes long over many branches.
__device__ __forceinline__ void store_if(dtype* to, const Pair& pair, bool exists) {
#ifdef __CUDA_ARCH__
#if IS_TF32
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.f32 [%0], {%1, %2}; }" ::"l"(to),
               "f"(pair.bits.x), "f"(pair.bits.y), "r"(static_cast<int>(exists))
               : "memory");
#else
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.b32 [%0], %1; }" ::"l"(to), "r"(pair.bits),
               "r"(static_cast<int>(exists))
               : "memory");
#endif
#else
  if (exists) *reinterpret_cast<Pair*>(to) = pair;
#endif
}

#if ODD_ROWS
// The first element of the pair.
__device__ __forceinline__ void store_first_if(dtype* to, const Pair& pair, bool exists) {
#ifdef __CUDA_ARCH__
#if IS_TF32
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.f32 [%0], %1; }" ::"l"(to),
               "f"(pair.bits.x), "r"(static_cast<int>(exists))
               : "memory");
#else
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.b16 [%0], %1; }" ::"l"(to),
               "h"(static_cast<unsigned short>(pair.bits)), "r"(static_cast<int>(exists))
               : "memory");
#endif
#else
  if (exists) *to = pair.item[0];
#endif
}

// Writes what a warp has of a row of C. Of `tiles` times eight columns each of four lanes has two neighbours; `sums`
// are the thread's, two of every four. `first` is the index in C of its first one, and `columns` says how many exist
// from there on. Where the row begins in the middle of 4 bytes, a lane writes its second element and the next lane's
// first one. C itself is aligned to 4 bytes. All lanes of a warp call this together.
template <int tiles>
__device__ __forceinline__ void write_odd_row(const float* sums, dtype* c, long long first, int columns,
                                              float alpha) {
  dtype* to = c + first;
#if IS_TF32
#pragma unroll
  for (int j = 0; j < tiles * 2; ++j) {
    const float value = alpha * sums[j / 2 * 4 + j % 2];
    store_first_if(to + j / 2 * 8 + j % 2, pack(value, value), j / 2 * 8 + j % 2 < columns);
  }
#else
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int shift = static_cast<int>(first % 2);
  Pair next = pack(alpha * sums[0], alpha * sums[1]);
  store_first_if(to, next, shift != 0 && lane % 4 == 0 && columns > 0);
#pragma unroll
  for (int j = 0; j < tiles; ++j) {
    const Pair own = next;
    if (j + 1 < tiles) next = pack(alpha * sums[j * 4 + 4], alpha * sums[j * 4 + 5]);
    const unsigned neighbour =
        __shfl_sync(0xffffffffu, lane % 4 == 0 ? next.bits : own.bits, lane / 4 * 4 + (lane + 1) % 4);
    Pair written = own;
    if (shift != 0) written.bits = __byte_perm(own.bits, neighbour, 0x5432);
    const int at = j * 8 + shift;
    const bool two = at + 1 < columns && !(j + 1 == tiles && shift != 0 && lane % 4 == 3);
    store_if(to + at, written, two);
    store_first_if(to + at, written, !two && at < columns);
  }
#endif
}
#endif

// Writes two neighbours of C, or one element, for any beta. `low`, `high` and `value` are alpha times the sums.
__device__ __forceinline__ void write_pair(dtype* to, float low, float high, float beta) {
  if (beta != 0.0f) {
    const Pair old = *reinterpret_cast<const Pair*>(to);
    low += beta * static_cast<float>(old.item[0]);
    high += beta * static_cast<float>(old.item[1]);
  }
  *reinterpret_cast<Pair*>(to) = pack(low, high);
}

__device__ __forceinline__ void write_element(dtype* to, float value, float beta) {
  if (beta != 0.0f) value += beta * static_cast<float>(*to);
  *to = static_cast<dtype>(value);
}
