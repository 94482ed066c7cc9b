#pragma once

// A value of 4 or 8 bytes together with a tag, written to and read from global memory by one access: a thread that
// reads the expected tag has the value as well. Both take 8 or 16 bytes, and are aligned to as many.

template <int bytes>
struct TaggedBits;
template <>
struct TaggedBits<4> {
  using Type = unsigned int;
};
template <>
struct TaggedBits<8> {
  using Type = unsigned long long;
};

template <class T>
union TaggedCast {
  T value;
  typename TaggedBits<sizeof(T)>::Type bits;
};

// Units of 8 bytes from one tagged value of type T to the next.
template <class T>
__device__ __forceinline__ constexpr int tagged_step() {
  return sizeof(T) / 4;
}

template <class T>
__device__ __forceinline__ void write_tagged(unsigned long long* to, T value, unsigned tag) {
  TaggedCast<T> cast;
  cast.value = value;
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 8) {
    asm volatile("{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }"
                 :
                 : "l"(to), "l"(cast.bits), "l"(static_cast<unsigned long long>(tag))
                 : "memory");
  } else {
    const unsigned long long both = static_cast<unsigned long long>(tag) << 32 | cast.bits;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(to), "l"(both) : "memory");
  }
#else
  if constexpr (sizeof(T) == 8) {
    to[0] = cast.bits;
    to[1] = tag;
  } else {
    *to = static_cast<unsigned long long>(tag) << 32 | cast.bits;
  }
#endif
}

// Returns the tag.
template <class T>
__device__ __forceinline__ unsigned read_tagged(const unsigned long long* from, T& value) {
  TaggedCast<T> cast;
  unsigned tag;
  if constexpr (sizeof(T) == 8) {
#ifdef __CUDA_ARCH__
    unsigned long long wide_tag;
    asm volatile("{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
                 : "=l"(cast.bits), "=l"(wide_tag)
                 : "l"(from)
                 : "memory");
    tag = static_cast<unsigned>(wide_tag);
#else
    cast.bits = from[0];
    tag = static_cast<unsigned>(from[1]);
#endif
  } else {
    unsigned long long both;
#ifdef __CUDA_ARCH__
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(from) : "memory");
#else
    both = *from;
#endif
    cast.bits = static_cast<unsigned>(both);
    tag = static_cast<unsigned>(both >> 32);
  }
  value = cast.value;
  return tag;
}
