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
