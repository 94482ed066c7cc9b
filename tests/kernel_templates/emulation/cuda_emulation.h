#pragma once

// Runs CUDA kernels on the host, so that their results can be checked without a GPU.
// `rewrite_kernel` (kernel_rewrite.h) replaces the shared arrays of a kernel's text by calls. Then the text
// is compiled as C++. Blocks run one after another. The threads of a block are fibers that switch only at
// barriers and warp exchanges.
// A data race is therefore not detected directly, but a missing barrier is. A thread runs far ahead of its
// neighbours, in either order. It then reads shared memory in its initial state, which is NaN. Accesses out
// of bounds are detected by AddressSanitizer if it is on, else by guard words.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "fiber_stack.h"

#if defined(__SANITIZE_ADDRESS__)
#define WARPTUNE_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPTUNE_ADDRESS_SANITIZER
#endif
#endif
#if defined(WARPTUNE_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif

#define WARPTUNE_EMULATION 1
#define __global__ inline
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __noinline__

#define WARPTUNE_VECTOR_TYPES(type, name)                                 \
  struct alignas(2 * sizeof(type)) name##2 {                              \
    type x, y;                                                            \
  };                                                                      \
  struct name##3 {                                                        \
    type x, y, z;                                                         \
  };                                                                      \
  struct alignas(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)) name##4 { \
    type x, y, z, w;                                                      \
  };
WARPTUNE_VECTOR_TYPES(float, float)
WARPTUNE_VECTOR_TYPES(double, double)
WARPTUNE_VECTOR_TYPES(int, int)
WARPTUNE_VECTOR_TYPES(unsigned, uint)
WARPTUNE_VECTOR_TYPES(short, short)
WARPTUNE_VECTOR_TYPES(unsigned short, ushort)
WARPTUNE_VECTOR_TYPES(signed char, char)
WARPTUNE_VECTOR_TYPES(unsigned char, uchar)
#undef WARPTUNE_VECTOR_TYPES

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

/// The indices of the thread that runs now.
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;

namespace warptune::emulation {

[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "emulation: %s\n", message.c_str());
  std::exit(3);
}

/// Memory of an exact size, filled with NaN patterns. Its borders are checked on each access by
/// AddressSanitizer, else later by `check()`.
class GuardedMemory {
 public:
  /// `skew` bytes are added before it, so that its start is not aligned.
  explicit GuardedMemory(std::size_t bytes, std::size_t skew = 0) : bytes_(bytes), skew_(skew) {
    block_.reset(static_cast<unsigned char*>(std::malloc(kBefore + skew_ + bytes_ + kAfter)));
    if (block_ == nullptr) fail("out of memory");
    std::memset(block_.get(), kGuard, kBefore + skew_ + bytes_ + kAfter);
    fill();
  }
  unsigned char* data() const { return block_.get() + kBefore + skew_; }
  std::size_t bytes() const { return bytes_; }
  void fill() { std::memset(data(), 0xff, bytes_); }
  bool intact() const {
    for (std::size_t i = 0; i < kBefore + skew_; ++i) {
      if (block_.get()[i] != kGuard) return false;
    }
    for (std::size_t i = 0; i < kAfter; ++i) {
      if (data()[bytes_ + i] != kGuard) return false;
    }
    return true;
  }

 private:
#if defined(WARPTUNE_ADDRESS_SANITIZER)
  static constexpr std::size_t kBefore = 0, kAfter = 0;
#else
  static constexpr std::size_t kBefore = 64, kAfter = 64;
#endif
  static constexpr unsigned char kGuard = 0xa5;
  struct Free {
    void operator()(unsigned char* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<unsigned char, Free> block_;
  std::size_t bytes_;
  std::size_t skew_;
};

/// Runs the threads of one block at a time.
class BlockRunner {
 public:
  static BlockRunner& instance() {
    static BlockRunner runner;
    return runner;
  }

  /// Runs `kernel` once for each thread of the grid. With `backward` the threads run from the last to the
  /// first.
  void launch(dim3 grid, dim3 block, std::size_t shared_bytes, bool backward,
              const std::function<void()>& kernel) {
    const unsigned threads = block.x * block.y * block.z;
    if (threads == 0 || threads > 1024) fail("a block of " + std::to_string(threads) + " threads");
    kernel_ = &kernel;
    gridDim = grid;
    blockDim = block;
    while (fibers_.size() < threads) add_fiber();
    warps_.assign((threads + 31) / 32, Warp{});
    for (unsigned z = 0; z < grid.z; ++z) {
      for (unsigned y = 0; y < grid.y; ++y) {
        for (unsigned x = 0; x < grid.x; ++x) {
          blockIdx = {x, y, z};
          dynamic_shared_ = std::make_unique<GuardedMemory>(shared_bytes);
          static_shared_.clear();
          run_block(threads, backward);
          if (!dynamic_shared_->intact()) fail("dynamic shared memory overrun");
          for (const auto& [site, memory] : static_shared_) {
            if (!memory->intact()) fail("a shared array overrun");
          }
        }
      }
    }
    dynamic_shared_.reset();
    static_shared_.clear();
  }

  void* dynamic_shared() { return dynamic_shared_->data(); }

  /// The block's copy of the shared array declared at `site`.
  void* static_shared(const void* site, std::size_t bytes) {
    auto& memory = static_shared_[site];
    if (memory == nullptr) memory = std::make_unique<GuardedMemory>(bytes);
    return memory->data();
  }

  void barrier() {
    fibers_[current_]->state = State::kAtBarrier;
    to_scheduler();
  }

  /// Lets the other threads run.
  void pause() { to_scheduler(); }

  /// Every lane of `mask` passes a value and gets the value of lane `source`.
  template <class T>
  T exchange(unsigned mask, T value, unsigned source) {
    static_assert(sizeof(T) <= 8);
    Warp& warp = warps_[current_ / 32];
    const unsigned lane = current_ % 32;
    if ((mask >> lane & 1) == 0) fail("a lane outside its own mask");
    const unsigned slot = warp.generation % 2;
    if (warp.arrived[slot] != 0 && warp.mask != mask) fail("lanes of one warp meet with different masks");
    warp.mask = mask;
    std::memcpy(&warp.values[slot][lane], &value, sizeof(T));
    warp.arrived[slot] |= 1u << lane;
    if (warp.arrived[slot] == mask) {
      ++warp.generation;
      warp.arrived[warp.generation % 2] = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const std::size_t index = current_ / 32 * 32 + i;
        if ((mask >> i & 1) != 0 && i != lane) fibers_[index]->state = State::kReady;
      }
    } else {
      fibers_[current_]->state = State::kInWarp;
      to_scheduler();
    }
    T result = value;
    if (source < 32 && (mask >> source & 1) != 0) std::memcpy(&result, &warp.values[slot][source], sizeof(T));
    return result;
  }
  unsigned lane() const { return static_cast<unsigned>(current_ % 32); }

 private:
  enum class State { kReady, kAtBarrier, kInWarp, kDone };
  struct Fiber {
    Stack context;
    std::unique_ptr<char[]> stack;
    State state = State::kDone;
    void* fake_stack = nullptr;
  };
  struct Warp {
    unsigned generation = 0;
    unsigned mask = 0;
    unsigned arrived[2] = {0, 0};
    std::uint64_t values[2][32] = {};
  };
  static constexpr std::size_t kStackBytes = 128 * 1024;

  void add_fiber() {
    fibers_.push_back(std::make_unique<Fiber>());
    Fiber& fiber = *fibers_.back();
    fiber.stack.reset(new char[kStackBytes]);
    fiber.context.prepare(fiber.stack.get(), kStackBytes, &BlockRunner::fiber_main);
  }

  /// A fiber runs one thread of each block in an endless loop.
  static void fiber_main() {
    BlockRunner& runner = instance();
    runner.arrive_in_fiber(nullptr);
    for (;;) {
      (*runner.kernel_)();
      runner.fibers_[runner.current_]->state = State::kDone;
      runner.to_scheduler();
    }
  }

  void run_block(unsigned threads, bool backward) {
    for (unsigned i = 0; i < threads; ++i) fibers_[i]->state = State::kReady;
    for (;;) {
      bool ran = false;
      for (unsigned turn = 0; turn < threads; ++turn) {
        const unsigned i = backward ? threads - 1 - turn : turn;
        if (fibers_[i]->state != State::kReady) continue;
        ran = true;
        to_fiber(i);
      }
      if (ran) continue;
      bool waiting = false;
      for (unsigned i = 0; i < threads; ++i) {
        if (fibers_[i]->state == State::kInWarp) fail("lanes wait for others of their warp that never come");
        if (fibers_[i]->state == State::kAtBarrier) {
          fibers_[i]->state = State::kReady;
          waiting = true;
        }
      }
      if (!waiting) return;
    }
  }

  void to_fiber(unsigned index) {
    Fiber& fiber = *fibers_[index];
    current_ = index;
    threadIdx = {index % blockDim.x, index / blockDim.x % blockDim.y, index / (blockDim.x * blockDim.y)};
#if defined(WARPTUNE_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(&scheduler_fake_stack_, fiber.stack.get(), kStackBytes);
#endif
    scheduler_.leave_for(fiber.context);
#if defined(WARPTUNE_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(scheduler_fake_stack_, nullptr, nullptr);
#endif
  }

  void to_scheduler() {
    Fiber& fiber = *fibers_[current_];
#if defined(WARPTUNE_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(&fiber.fake_stack, scheduler_stack_, scheduler_stack_bytes_);
#endif
    fiber.context.leave_for(scheduler_);
    arrive_in_fiber(fiber.fake_stack);
  }

  void arrive_in_fiber([[maybe_unused]] void* fake_stack) {
#if defined(WARPTUNE_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake_stack, &scheduler_stack_, &scheduler_stack_bytes_);
#endif
  }

  const std::function<void()>* kernel_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Warp> warps_;
  std::unique_ptr<GuardedMemory> dynamic_shared_;
  std::map<const void*, std::unique_ptr<GuardedMemory>> static_shared_;
  Stack scheduler_;
  void* scheduler_fake_stack_ = nullptr;
  const void* scheduler_stack_ = nullptr;
  std::size_t scheduler_stack_bytes_ = 0;
  std::size_t current_ = 0;
};

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(BlockRunner::instance().dynamic_shared());
}
/// `Array` is a type such as `float[32]`.
template <class Array>
Array& static_shared(const void* site) {
  return *static_cast<Array*>(BlockRunner::instance().static_shared(site, sizeof(Array)));
}

}  // namespace warptune::emulation

inline void __syncthreads() { warptune::emulation::BlockRunner::instance().barrier(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) {
  warptune::emulation::BlockRunner::instance().exchange(mask, 0, 0);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane) {
  return warptune::emulation::BlockRunner::instance().exchange(mask, value, static_cast<unsigned>(lane) % 32);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance) {
  auto& runner = warptune::emulation::BlockRunner::instance();
  return runner.exchange(mask, value, runner.lane() + distance);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance) {
  auto& runner = warptune::emulation::BlockRunner::instance();
  return runner.exchange(mask, value, runner.lane() >= distance ? runner.lane() - distance : 32);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes) {
  auto& runner = warptune::emulation::BlockRunner::instance();
  return runner.exchange(mask, value, runner.lane() ^ static_cast<unsigned>(lanes));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  auto& runner = warptune::emulation::BlockRunner::instance();
  unsigned votes = predicate != 0 ? 1u << runner.lane() : 0u;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned other = runner.exchange(mask, votes, runner.lane() ^ distance);
    votes |= other;
  }
  return votes & mask;
}

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldca(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}
template <class T>
void __stcg(T* address, T value) {
  *address = value;
}

template <class T>
T atomicAdd(T* address, T value) {
  const T old = *address;
  *address = old + value;
  return old;
}
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  const unsigned old = *address;
  *address = old >= limit ? 0 : old + 1;
  return old;
}
template <class T>
T atomicExch(T* address, T value) {
  const T old = *address;
  *address = value;
  return old;
}

inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline int __float_as_int(float value) {
  int bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float __int_as_float(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline double __longlong_as_double(long long bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The lanes of `mask` that have the caller's value.
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  auto& runner = warptune::emulation::BlockRunner::instance();
  unsigned equal = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) != 0 && runner.exchange(mask, value, lane) == value) equal |= 1u << lane;
  }
  return equal;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all) {
  *all = __match_any_sync(mask, value) == mask;
  return *all != 0 ? mask : 0;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(high) << 32 | low;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  }
  return result;
}
/// Funnel shifts of `high`:`low`. Shifting left gives the upper 32 bits, and shifting right gives the lower
/// 32 bits.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << shift % 32 >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> shift % 32);
}

template <class T>
void __stwt(T* address, T value) {
  *address = value;
}
template <class T>
T atomicMin(T* address, T value) {
  const T old = *address;
  if (value < old) *address = value;
  return old;
}
template <class T>
T atomicMax(T* address, T value) {
  const T old = *address;
  if (value > old) *address = value;
  return old;
}

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }

inline void __nanosleep(unsigned) { warptune::emulation::BlockRunner::instance().pause(); }
