#pragma once

// Reductions over neighbouring lanes of a warp, by shuffles. `lanes` is a power of two; all 32 lanes of the warp take
// part. `join` is an associative function of two values, such as those below.

// Every lane gets the result.
template <int lanes, class T, class Join>
__device__ __forceinline__ T warp_all_reduce(T value, Join join) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = join(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

// The first lane gets the result.
template <int lanes, class T, class Join>
__device__ __forceinline__ T warp_reduce(T value, Join join) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = join(value, __shfl_down_sync(0xffffffffu, value, distance));
  }
  return value;
}

// Sum, minimum and maximum. Those of floating-point numbers ignore NaNs. `identity` leaves any other value as it is.
__device__ __forceinline__ int minimum_of(int x, int y) { return x < y ? x : y; }
__device__ __forceinline__ long long minimum_of(long long x, long long y) { return x < y ? x : y; }
__device__ __forceinline__ float minimum_of(float x, float y) { return fminf(x, y); }
__device__ __forceinline__ double minimum_of(double x, double y) { return fmin(x, y); }
__device__ __forceinline__ int maximum_of(int x, int y) { return x > y ? x : y; }
__device__ __forceinline__ long long maximum_of(long long x, long long y) { return x > y ? x : y; }
__device__ __forceinline__ float maximum_of(float x, float y) { return fmaxf(x, y); }
__device__ __forceinline__ double maximum_of(double x, double y) { return fmax(x, y); }

// The lowest and the highest value of a type, which are the infinities of floating-point types.
template <class T>
struct Extremes;
template <>
struct Extremes<int> {
  static __device__ __forceinline__ int lowest() { return -0x7fffffff - 1; }
  static __device__ __forceinline__ int highest() { return 0x7fffffff; }
};
template <>
struct Extremes<long long> {
  static __device__ __forceinline__ long long lowest() { return -0x7fffffffffffffffll - 1; }
  static __device__ __forceinline__ long long highest() { return 0x7fffffffffffffffll; }
};
template <>
struct Extremes<float> {
  static __device__ __forceinline__ float lowest() { return -highest(); }
  static __device__ __forceinline__ float highest() { return __int_as_float(0x7f800000); }
};
template <>
struct Extremes<double> {
  static __device__ __forceinline__ double lowest() { return -highest(); }
  static __device__ __forceinline__ double highest() { return __longlong_as_double(0x7ff0000000000000ll); }
};

template <class T>
struct Sum {
  static __device__ __forceinline__ T identity() { return T(0); }
  __device__ __forceinline__ T operator()(T x, T y) const { return x + y; }
};
template <class T>
struct Minimum {
  static __device__ __forceinline__ T identity() { return Extremes<T>::highest(); }
  __device__ __forceinline__ T operator()(T x, T y) const { return minimum_of(x, y); }
};
template <class T>
struct Maximum {
  static __device__ __forceinline__ T identity() { return Extremes<T>::lowest(); }
  __device__ __forceinline__ T operator()(T x, T y) const { return maximum_of(x, y); }
};
