// The buffers into which CUPTI writes activity records.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace warptune::survey::injected {

/// Buffers of one size, all zeros when they are taken. They are not from malloc, so that the surveyed
/// program's own memory is as it is without a survey.
class BufferPool {
 public:
  explicit BufferPool(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}
  std::size_t buffer_bytes() const { return buffer_bytes_; }
  /// Returns null if there is no memory.
  std::uint8_t* take();
  /// CUPTI has written at most the first `used_bytes`.
  void give_back(std::uint8_t* buffer, std::size_t used_bytes);

 private:
  static constexpr std::size_t kMaxKept = 16;

  std::size_t buffer_bytes_;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  std::array<std::uint8_t*, kMaxKept> kept_{};
  std::size_t kept_count_ = 0;
};

}  // namespace warptune::survey::injected
