#pragma once

// For rows of A and B that do not begin at multiples of 16 bytes: how gemm_tc.cu reads 16 bytes of them, and copies
// whose rows do begin there, which replace the operand.

#if PADDED_TILES || PADDED_MAPS || SHIFTED_TILES
namespace padding {

#if IS_TF32
using Bits = unsigned;  // of an element
#else
using Bits = unsigned short;
#endif
constexpr int kThreads = 256;
constexpr int kVectors = 4;  // of 16 bytes, that a thread writes
constexpr int kPerWord = 4 / static_cast<int>(sizeof(Bits));
constexpr int kPerVector = 4 * kPerWord;

// The length of a row of a copy.
__device__ __forceinline__ long long row_length(long long columns) {
  return (columns + kPerVector - 1) / kPerVector * kPerVector;
}

// How many blocks copy a matrix; none if its rows need no copy.
__device__ __forceinline__ long long blocks_for(long long rows, long long columns) {
  if (columns % kPerVector == 0) return 0;
  return (rows * (row_length(columns) / kPerVector) + kThreads * kVectors - 1) / (kThreads * kVectors);
}

// 16 bytes, read as the aligned words of 4 bytes that they are in: five, where they do not begin with a word.
struct Words {
  unsigned word[5];
  unsigned shift;
  __device__ __forceinline__ void load(const Bits* from) {
    const size_t address = reinterpret_cast<size_t>(from);
    const unsigned* words = reinterpret_cast<const unsigned*>(address / 4 * 4);
    shift = static_cast<unsigned>(address % 4) * 8;
#pragma unroll
    for (int i = 0; i < 4; ++i) word[i] = __ldg(words + i);
    word[4] = shift != 0 ? __ldg(words + 4) : 0;
  }
  __device__ __forceinline__ void set(const uint4& vector) {
    word[0] = vector.x, word[1] = vector.y, word[2] = vector.z, word[3] = vector.w;
    word[4] = shift = 0;
  }
  __device__ __forceinline__ uint4 vector() const {
    return {__funnelshift_r(word[0], word[1], shift), __funnelshift_r(word[1], word[2], shift),
            __funnelshift_r(word[2], word[3], shift), __funnelshift_r(word[3], word[4], shift)};
  }
};

// 16 bytes, read element by element; zeros behind the elements that exist.
__device__ __forceinline__ uint4 elements(const Bits* from, int exist) {
  unsigned words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    words[i] = 0;
#pragma unroll
    for (int j = 0; j < kPerWord; ++j) {
      const int at = i * kPerWord + j;
      const unsigned bits = at < exist ? __ldg(from + at) : 0u;
      words[i] |= bits << (j * 32 / kPerWord);
    }
  }
  return {words[0], words[1], words[2], words[3]};
}

// Block number `block` of those that copy a matrix.
__device__ __forceinline__ void copy_part(const Bits* __restrict__ matrix, uint4* __restrict__ copy,
                                          long long rows, long long columns, long long block) {
  const unsigned vectors = static_cast<unsigned>(row_length(columns) / kPerVector);
  const long long first = block * (kThreads * kVectors);
  const long long first_row = first / vectors;
  const unsigned begin = static_cast<unsigned>(first - first_row * vectors) + threadIdx.x;
  const bool in_words = reinterpret_cast<size_t>(matrix) % 4 == 0;
  Words words[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const unsigned at = begin + i * kThreads;
    const long long row = first_row + at / vectors;
    const long long column = static_cast<long long>(at % vectors) * kPerVector;
    if (row < rows && column + kPerVector < columns && in_words)
      words[i].load(matrix + row * columns + column);
  }
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const unsigned at = begin + i * kThreads;
    const long long row = first_row + at / vectors;
    const long long column = static_cast<long long>(at % vectors) * kPerVector;
    if (row >= rows) continue;
    const long long exist = columns - column;
    copy[first + i * kThreads + threadIdx.x] =
        exist > kPerVector && in_words ? words[i].vector()
                                       : elements(matrix + row * columns + column,
                                                  exist < kPerVector ? static_cast<int>(exist) : kPerVector);
  }
}

}  // namespace padding
#endif

// Copies those of A and B whose rows do not begin at multiples of 16 bytes. In programs that read no copies there is
// nothing to do.
__global__ void __launch_bounds__(256)
    gemm_tc_pad([[maybe_unused]] const dtype* __restrict__ a, [[maybe_unused]] const dtype* __restrict__ b,
                dtype*, const TensorMap, const TensorMap, const TensorMap, [[maybe_unused]] long long m,
                [[maybe_unused]] long long n, [[maybe_unused]] long long k, float, float,
                [[maybe_unused]] dtype* __restrict__ a_padded, [[maybe_unused]] dtype* __restrict__ b_padded,
                const TensorMap, const TensorMap, const float* __restrict__) {
#if PADDED_TILES || PADDED_MAPS
  const long long blocks_of_a = padding::blocks_for(m, k);
  const bool is_a = blockIdx.x < blocks_of_a;
  const long long rows = is_a ? m : B_IS_KN ? k : n;
  const long long columns = is_a || !B_IS_KN ? k : n;
  padding::copy_part(reinterpret_cast<const padding::Bits*>(is_a ? a : b),
                     reinterpret_cast<uint4*>(is_a ? a_padded : b_padded), rows, columns,
                     is_a ? blockIdx.x : blockIdx.x - blocks_of_a);
#endif
}
