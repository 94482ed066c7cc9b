#pragma once

// Machine words, loads and stores with cache hints, and copies into shared memory, for any kernel. The names of hints are the values of the
// parameters that choose them: load_word<LoadHint::LOAD>(from). Without a GPU (__CUDA_ARCH__ undefined) all of it has plain C++ forms.

// The machine word of one access: 1 to 16 bytes.
template <int bytes> struct WordOf;
template <> struct WordOf<1> { using Type = unsigned char; };
template <> struct WordOf<2> { using Type = unsigned short; };
template <> struct WordOf<4> { using Type = unsigned int; };
template <> struct WordOf<8> { using Type = uint2; };
template <> struct WordOf<16> { using Type = uint4; };

// read_only and the hints with `in_place` false take the read-only path: nobody may write what they read while the kernel runs. streaming is evicted
// first, no_allocate stays out of the first-level cache, l2_128 and l2_256 fetch so many bytes into the second (sm_75 and sm_80 on).
enum class LoadHint { plain, read_only, streaming, no_allocate, l2_128, l2_256 };
enum class StoreHint { plain, streaming, write_through };

#ifdef __CUDA_ARCH__
#define LOAD_WORD(instruction)                                                                                     \
  if constexpr (sizeof(Word) == 1) {                                                                               \
    unsigned short byte;                                                                                           \
    asm volatile(instruction ".u8 %0, [%1];" : "=h"(byte) : "l"(from));                                            \
    word = static_cast<Word>(byte);                                                                                \
  } else if constexpr (sizeof(Word) == 2) {                                                                        \
    asm volatile(instruction ".u16 %0, [%1];" : "=h"(word) : "l"(from));                                           \
  } else if constexpr (sizeof(Word) == 4) {                                                                        \
    asm volatile(instruction ".u32 %0, [%1];" : "=r"(word) : "l"(from));                                           \
  } else if constexpr (sizeof(Word) == 8) {                                                                        \
    asm volatile(instruction ".v2.u32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "l"(from));                  \
  } else {                                                                                                         \
    asm volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4];"                                                     \
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)                                          \
                 : "l"(from));                                                                                     \
  }
#endif

// `Word` is a type of WordOf; `in_place` that the kernel may write to what it reads.
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
        LOAD_WORD("ld.global.L1::no_allocate")
      } else {
        LOAD_WORD("ld.global.nc.L1::no_allocate")
      }
    } else if constexpr (hint == LoadHint::l2_128) {
      if constexpr (in_place) {
        LOAD_WORD("ld.global.L2::128B")
      } else {
        LOAD_WORD("ld.global.nc.L2::128B")
      }
    } else {
      if constexpr (in_place) {
        LOAD_WORD("ld.global.L2::256B")
      } else {
        LOAD_WORD("ld.global.nc.L2::256B")
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

// Copies of single words into shared memory, of 4 bytes or more (cp.async, sm_80 on). A thread's copies up to commit_copies() are a group; it waits
// until all but its newest `pending` groups have come.
template <class Word>
__device__ __forceinline__ void begin_copy(Word* to, const Word* from) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Word) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(sizeof(Word)) : "memory");
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

// Copies of many bytes in one piece (cp.async.bulk, sm_90 on): addresses and sizes are multiples of 16 bytes, and one thread orders them. They count
// down the bytes that a barrier in shared memory expects; its phases, 0 and 1 in turn, end when all have come.
__device__ __forceinline__ void set_up_barrier(unsigned long long* barrier) {
#ifdef __CUDA_ARCH__
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void expect_bytes(unsigned long long* barrier, unsigned bytes) {
#ifdef __CUDA_ARCH__
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
#endif
}

__device__ __forceinline__ void begin_bulk_copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
#else
  for (unsigned i = 0; i < bytes; ++i) static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
#endif
}

// Without a GPU, where copies are done at once, a barrier of the block's threads that have not ended.
__device__ __forceinline__ void wait_for_phase(unsigned long long* barrier, unsigned phase) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(shared_address(barrier)),
      "r"(phase)
      : "memory");
#else
  __syncthreads();
#endif
}

// From shared memory to device memory, as a group of its own. What threads have written to shared memory needs publish_for_bulk() by each of them and
// a barrier first; the shared memory is free again once the group has been read.
__device__ __forceinline__ void begin_bulk_store(void* to, const void* from, unsigned bytes) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  for (unsigned i = 0; i < bytes; ++i) static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
#endif
}

__device__ __forceinline__ void publish_for_bulk() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// Until all but the newest `pending` groups of stores have been read from shared memory.
template <int pending>
__device__ __forceinline__ void wait_for_bulk_reads() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
#endif
}

// The bits of a value of 4 or 8 bytes and a tag, written and read in one piece: who finds the tag has the value. They take 8 or 16 bytes, aligned so.
__device__ __forceinline__ void write_tagged(unsigned long long* to, unsigned bits, unsigned tag) {
  const unsigned long long word = static_cast<unsigned long long>(tag) << 32 | bits;
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
#else
  *to = word;
#endif
}

__device__ __forceinline__ void write_tagged(unsigned long long* to, unsigned long long bits, unsigned tag) {
#ifdef __CUDA_ARCH__
  asm volatile("{ .reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word; }" ::"l"(to), "l"(bits),
               "l"(static_cast<unsigned long long>(tag))
               : "memory");
#else
  to[0] = bits;
  to[1] = tag;
#endif
}

// Returns the tag.
__device__ __forceinline__ unsigned read_tagged(const unsigned long long* from, unsigned& bits) {
  unsigned long long word;
#ifdef __CUDA_ARCH__
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
#else
  word = *from;
#endif
  bits = static_cast<unsigned>(word);
  return static_cast<unsigned>(word >> 32);
}

__device__ __forceinline__ unsigned read_tagged(const unsigned long long* from, unsigned long long& bits) {
#ifdef __CUDA_ARCH__
  unsigned long long tag;
  asm volatile("{ .reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word; }"
               : "=l"(bits), "=l"(tag)
               : "l"(from)
               : "memory");
  return static_cast<unsigned>(tag);
#else
  bits = from[0];
  return static_cast<unsigned>(from[1]);
#endif
}
