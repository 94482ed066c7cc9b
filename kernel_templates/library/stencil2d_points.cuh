#pragma once

// The matrix of stencil2d.cu, and how a thread loads, computes and stores points of a row.

__device__ __forceinline__ int clamped(int i, int count) { return max(min(i, count - 1), 0); }

struct Matrix {
  const dtype* data;
  int rows, columns;
  bool vectors;  // rows consist of whole aligned vectors

  __device__ __forceinline__ const dtype* row(int y) const {
    return data + static_cast<long long>(clamped(y, rows)) * columns;
  }
  // Whether a point keeps its value.
  __device__ __forceinline__ bool keeps(int y, int x) const {
#if FIXED_BOUNDARY
    return y < kRadius || y >= rows - kRadius || x < kRadius || x >= columns - kRadius;
#else
    return false;
#endif
  }
};

__device__ __forceinline__ void unpack(dtype (&values)[VECTOR], Word word) {
  Pack pack;
  pack.word = word;
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) values[j] = pack.item[j];
}

// VECTOR elements of a row from column x >= 0 on; outside of the matrix is the nearest element inside.
__device__ __forceinline__ void load_own(dtype (&values)[VECTOR], const Matrix& in, int y, int x) {
  const dtype* row = in.row(y);
  if (VECTOR > 1 && in.vectors) {
    const bool exists = x < in.columns;
    unpack(values, __ldg(reinterpret_cast<const Word*>(row + (exists ? x : in.columns - VECTOR))));
#pragma unroll
    for (int j = 0; j < VECTOR - 1; ++j) values[j] = exists ? values[j] : values[VECTOR - 1];
  } else {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) values[j] = __ldg(row + clamped(x + j, in.columns));
  }
}

// The elements at distances 1 to kRadius from the ends of a thread's own.
struct Sides {
  dtype left[kRadius], right[kRadius];
};

#if !IN_SHARED
__device__ __forceinline__ void load_sides(Sides& sides, const dtype (&own)[VECTOR], const Matrix& in, int y,
                                           int x) {
  const dtype* row = in.row(y);
#if NEIGHBOURS_SHUFFLE
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int d = 1; d <= kRadius; ++d) {
    const int lanes = (d + VECTOR - 1) / VECTOR;
    const dtype from_left = __shfl_up_sync(0xffffffffu, own[lanes * VECTOR - d], lanes);
    const dtype from_right = __shfl_down_sync(0xffffffffu, own[d - 1 - (lanes - 1) * VECTOR], lanes);
    sides.left[d - 1] = lane >= lanes ? from_left : __ldg(row + clamped(x - d, in.columns));
    sides.right[d - 1] =
        lane + lanes < 32 ? from_right : __ldg(row + clamped(x + VECTOR - 1 + d, in.columns));
  }
#else
  if (VECTOR >= kRadius && VECTOR > 1 && in.vectors) {
    const bool first = x == 0;
    const bool last = x + VECTOR >= in.columns;
    dtype before[VECTOR], after[VECTOR];
    unpack(before, __ldg(reinterpret_cast<const Word*>(row + (first || x >= in.columns ? 0 : x - VECTOR))));
    unpack(after, __ldg(reinterpret_cast<const Word*>(row + (last ? 0 : x + VECTOR))));
#pragma unroll
    for (int d = 1; d <= kRadius; ++d) {
      sides.left[d - 1] = first ? own[0] : before[(VECTOR - d) % VECTOR];
      sides.right[d - 1] = last ? own[VECTOR - 1] : after[(d - 1) % VECTOR];
    }
  } else {
#pragma unroll
    for (int d = 1; d <= kRadius; ++d) {
      sides.left[d - 1] = __ldg(row + clamped(x - d, in.columns));
      sides.right[d - 1] = __ldg(row + clamped(x + VECTOR - 1 + d, in.columns));
    }
  }
#endif
}
#endif

__device__ __forceinline__ void store(dtype* target, const dtype (&values)[VECTOR], int count, bool words) {
  if (VECTOR == 1 || words) {
    Pack pack;
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) pack.item[j] = values[j];
#if STORE_STREAMING
    if (count > 0) __stcs(reinterpret_cast<Word*>(target), pack.word);
#else
    if (count > 0) *reinterpret_cast<Word*>(target) = pack.word;
#endif
  } else {
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) {
      if (j < count) target[j] = values[j];
    }
  }
}

struct Weights {
  dtype at[kRadius + 1];
};

// Element j of a thread's, whose neighbours are in `sides` and in rows `at_row(-kRadius)` to `at_row(kRadius)`.
template <class Rows>
__device__ __forceinline__ dtype star(const Weights& weights, const Rows& at_row, const Sides& sides, int j) {
  dtype sum = weights.at[0] * at_row(0)[j];
#pragma unroll
  for (int d = 1; d <= kRadius; ++d) {
    const dtype left = j - d >= 0 ? at_row(0)[j >= d ? j - d : 0] : sides.left[j < d ? d - j - 1 : 0];
    const dtype right = j + d < VECTOR ? at_row(0)[j + d < VECTOR ? j + d : 0]
                                       : sides.right[j + d >= VECTOR ? j + d - VECTOR : 0];
    sum += weights.at[d] * ((left + right) + (at_row(-d)[j] + at_row(d)[j]));
  }
  return sum;
}

// Makes a thread's points of row y and writes them.
template <class Rows>
__device__ __forceinline__ void finish_row(dtype* out, const Matrix& in, const Weights& weights,
                                           const Rows& at_row, const Sides& sides, int y, int x) {
  dtype values[VECTOR];
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) {
    const dtype value = star(weights, at_row, sides, j);
    values[j] = in.keeps(y, x + j) ? at_row(0)[j] : value;
  }
  store(out + static_cast<long long>(y) * in.columns + x, values, y < in.rows ? in.columns - x : 0,
        in.vectors);
}
