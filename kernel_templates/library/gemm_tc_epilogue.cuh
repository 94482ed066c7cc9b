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
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.f32 [%0], {%1, %2}; }" ::"l"(
                   __cvta_generic_to_global(to)),
               "f"(pair.bits.x), "f"(pair.bits.y), "r"(static_cast<int>(exists))
               : "memory");
#else
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.b32 [%0], %1; }" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(pair.bits), "r"(static_cast<int>(exists))
               : "memory");
#endif
#else
  if (exists) *reinterpret_cast<Pair*>(to) = pair;
#endif
}

// Where a sum goes.
struct ElementOfC {
  dtype* to;
  bool exists;
};

// Writes `count` sums for any beta and any alignment: `element_of(i)` is where sum i goes, and the sums 2 i and 2 i + 1 are
// neighbours. The loops run over sums in local memory, because unrolled for all sums they take the compiler too long.
template <int count, class ElementOf>
__device__ __forceinline__ void write_any(const float (&sums)[count], bool by_pairs, float alpha, float beta,
                                          const ElementOf& element_of) {
#pragma unroll 4
  for (int i = 0; i < count; i += 2) {
    const ElementOfC element = element_of(i);
    if (by_pairs && element.exists) {
      float low = alpha * sums[i];
      float high = alpha * sums[i + 1];
      if (beta != 0.0f) {
        const Pair old = *reinterpret_cast<const Pair*>(element.to);
        low += beta * static_cast<float>(old.item[0]);
        high += beta * static_cast<float>(old.item[1]);
      }
      *reinterpret_cast<Pair*>(element.to) = pack(low, high);
    }
  }
#pragma unroll 1
  for (int i = 0; i < count && !by_pairs; ++i) {
    const ElementOfC element = element_of(i);
    if (!element.exists) continue;
    float value = alpha * sums[i];
    if (beta != 0.0f) value += beta * static_cast<float>(*element.to);
    *element.to = static_cast<dtype>(value);
  }
}
