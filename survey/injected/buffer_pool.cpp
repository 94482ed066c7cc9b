#include "survey/injected/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace warptune::survey::injected {

std::uint8_t* BufferPool::take() {
  ::pthread_mutex_lock(&lock_);
  std::uint8_t* buffer = kept_count_ == 0 ? nullptr : kept_[--kept_count_];
  ::pthread_mutex_unlock(&lock_);
  if (buffer != nullptr) return buffer;
  void* fresh = ::mmap(nullptr, buffer_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return fresh == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(fresh);
}

void BufferPool::give_back(std::uint8_t* buffer, std::size_t used_bytes) {
  constexpr std::size_t kMargin = 65536;  // In case CUPTI has begun a record after the last one.
  // Here, because `take` runs in a thread of the program.
  std::memset(buffer, 0, std::min(buffer_bytes_, used_bytes + kMargin));
  ::pthread_mutex_lock(&lock_);
  const bool kept = kept_count_ < kMaxKept;
  if (kept) kept_[kept_count_++] = buffer;
  ::pthread_mutex_unlock(&lock_);
  if (!kept) ::munmap(buffer, buffer_bytes_);
}

}  // namespace warptune::survey::injected
