#pragma once

// How batched_gemm.cu brings a group of matrices to shared memory.

#if STAGED
constexpr int kBytesA =
    (MATRICES * kStrideA * kSize + 15) / 16 * 16;  // of a group of matrices in shared memory
constexpr int kBytesB = (MATRICES * kStrideB * kSize + 15) / 16 * 16;

template <int elements>
__device__ __forceinline__ void copy(dtype* to, const dtype* from) {
#if LOAD_ASYNC && defined(__CUDA_ARCH__)
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (elements * kSize == 16) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  } else if constexpr (elements * kSize >= 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(elements * kSize)
                 : "memory");
  } else {
    *to = *from;
  }
#else
  *reinterpret_cast<Word<elements>*>(to) = __ldg(reinterpret_cast<const Word<elements>*>(from));
#endif
}

template <int row_length, int matrix_length, int pitch, int stride>
__device__ __forceinline__ int place_of(int i) {
  if (stride == matrix_length) return i;
  return i / matrix_length * stride + i % matrix_length / row_length * pitch + i % row_length;
}

// Brings `count` elements of consecutive matrices into shared memory, those of a whole group without asking for the
// end.
template <int row_length, int matrix_length, int pitch, int stride>
__device__ __forceinline__ void copy_matrices(dtype* to, const dtype* from, long long count) {
  constexpr int kAll = MATRICES * matrix_length;
  constexpr int kTurns = (kAll / VECTOR + kThreads - 1) / kThreads;
  const int first = static_cast<int>(threadIdx.x) * VECTOR;
  if (count >= kAll && kTurns <= 32) {
#if LOAD_ASYNC
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int i = first + turn * kThreads * VECTOR;
      if (kAll / VECTOR % kThreads == 0 || i < kAll)
        copy<VECTOR>(to + place_of<row_length, matrix_length, pitch, stride>(i), from + i);
    }
#else
    Word<VECTOR> words[kTurns];
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int i = first + turn * kThreads * VECTOR;
      if (kAll / VECTOR % kThreads == 0 || i < kAll)
        words[turn] = __ldg(reinterpret_cast<const Word<VECTOR>*>(from + i));
    }
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int i = first + turn * kThreads * VECTOR;
      if (kAll / VECTOR % kThreads == 0 || i < kAll) {
        *reinterpret_cast<Word<VECTOR>*>(to + place_of<row_length, matrix_length, pitch, stride>(i)) =
            words[turn];
      }
    }
#endif
  } else {
    const int end = static_cast<int>(count < kAll ? count : kAll);
#pragma unroll 1
    for (int i = first; i < end; i += kThreads * VECTOR) {
      if (i + VECTOR <= end) {
        copy<VECTOR>(to + place_of<row_length, matrix_length, pitch, stride>(i), from + i);
      } else {
        for (int j = i; j < end; ++j) to[place_of<row_length, matrix_length, pitch, stride>(j)] = from[j];
      }
    }
  }
}

__device__ __forceinline__ void copy_group(unsigned char* stage, const dtype* __restrict__ a,
                                           const dtype* __restrict__ b, long long group, long long batch) {
  const long long first = group * MATRICES;
  if (first < batch) {
    copy_matrices<K_SIZE, M_SIZE * K_SIZE, kPitchA, kStrideA>(
        reinterpret_cast<dtype*>(stage), a + first * (M_SIZE * K_SIZE), (batch - first) * (M_SIZE * K_SIZE));
    copy_matrices<N_SIZE, K_SIZE * N_SIZE, kPitchB, kStrideB>(reinterpret_cast<dtype*>(stage + kBytesA),
                                                              b + first * (K_SIZE * N_SIZE),
                                                              (batch - first) * (K_SIZE * N_SIZE));
  }
#if LOAD_ASYNC
  commit_copies();
#endif
}
#endif
