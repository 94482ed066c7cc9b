#pragma once

// Vector loads and stores with cache hints, and asynchronous copies of single vectors to shared memory. The names of
// the hints are the values of the parameters that choose them: load_word<LoadHint::LOAD>(from). Everything has a plain
// C++ form for the host emulation, where __CUDA_ARCH__ is not defined.

// The type of a vector access of 1 to 16 bytes.
template <int bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = unsigned char;
};
template <>
struct WordOf<2> {
  using Type = unsigned short;
};
template <>
struct WordOf<4> {
  using Type = unsigned int;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

// Cache hints of loads. With `read_only`, and with any hint when `in_place` is false, the load takes the read-only path
// (ld.global.nc): the kernel must not write to what it reads.
//   read_only_fixed  read_only, but the compiler does not move the load
//   streaming        the line is evicted first
//   no_allocate      the line is not kept in L1
//   l2_128, l2_256   128 or 256 bytes are fetched into L2 (sm_75 and sm_80 on)
enum class LoadHint { plain, read_only, read_only_fixed, streaming, no_allocate, l2_128, l2_256 };
enum class StoreHint { plain, streaming, write_through };

#ifdef __CUDA_ARCH__
#define LOAD_WORD(instruction, address)                                                              \
  if constexpr (sizeof(Word) == 1) {                                                                 \
    unsigned short byte;                                                                             \
    asm volatile(instruction ".u8 %0, [%1];" : "=h"(byte) : "l"(address));                           \
    word = static_cast<Word>(byte);                                                                  \
  } else if constexpr (sizeof(Word) == 2) {                                                          \
    asm volatile(instruction ".u16 %0, [%1];" : "=h"(word) : "l"(address));                          \
  } else if constexpr (sizeof(Word) == 4) {                                                          \
    asm volatile(instruction ".u32 %0, [%1];" : "=r"(word) : "l"(address));                          \
  } else if constexpr (sizeof(Word) == 8) {                                                          \
    asm volatile(instruction ".v2.u32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "l"(address)); \
  } else {                                                                                           \
    asm volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];"                                       \
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)                            \
                 : "l"(address));                                                                    \
  }
#endif

// The same address, converted to one of global memory. With inline PTX that reads through it the compiler assigns other
// registers than with a generic address.
template <class T>
__device__ __forceinline__ const T* global_address(const T* pointer) {
#ifdef __CUDA_ARCH__
  return reinterpret_cast<const T*>(__cvta_generic_to_global(pointer));
#else
  return pointer;
#endif
}

// `Word` is a type of WordOf. `in_place` says that the kernel may write to what it reads.
template <LoadHint hint, bool in_place = false, class Word>
__device__ __forceinline__ Word load_word(const Word* from) {
#ifdef __CUDA_ARCH__
  if constexpr (hint == LoadHint::read_only) {
    return __ldg(from);
  } else if constexpr (hint == LoadHint::streaming) {
    return __ldcs(from);
  } else if constexpr (hint == LoadHint::plain) {
    if constexpr (in_place) {
      return *from;
    } else {
      return __ldg(from);
    }
  } else {
    Word word;
    if constexpr (hint == LoadHint::no_allocate) {
      if constexpr (in_place) {
        LOAD_WORD("ld.global.L1::no_allocate", from)
      } else {
        LOAD_WORD("ld.global.nc.L1::no_allocate", from)
      }
    } else if constexpr (hint == LoadHint::read_only_fixed) {
      LOAD_WORD("ld.global.nc", __cvta_generic_to_global(from))
    } else if constexpr (hint == LoadHint::l2_128) {
      if constexpr (in_place) {
        LOAD_WORD("ld.global.L2::128B", from)
      } else {
        LOAD_WORD("ld.global.nc.L2::128B", from)
      }
    } else {
      if constexpr (in_place) {
        LOAD_WORD("ld.global.L2::256B", from)
      } else {
        LOAD_WORD("ld.global.nc.L2::256B", from)
      }
    }
    return word;
  }
#else
  return *from;
#endif
}
#undef LOAD_WORD

template <StoreHint hint, class Word>
__device__ __forceinline__ void store_word(Word* to, Word word) {
  if constexpr (hint == StoreHint::streaming) {
    __stcs(to, word);
  } else if constexpr (hint == StoreHint::write_through) {
    __stwt(to, word);
  } else {
    *to = word;
  }
}

#ifdef __CUDA_ARCH__
__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
#endif

// Asynchronous copies of single vectors of 4 to 16 bytes to shared memory (cp.async, sm_80 on). A thread's copies up
// to commit_copies() form a group. wait_for_copies() waits until all but the thread's newest `pending` groups have
// arrived.
template <class Word>
__device__ __forceinline__ void begin_copy(Word* to, const Word* from) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Word) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(sizeof(Word))
                 : "memory");
  }
#else
  *to = *from;
#endif
}

__device__ __forceinline__ void commit_copies() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int pending>
__device__ __forceinline__ void wait_for_copies() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}
