#include "survey/injected/capturing/kernel_image.h"

#include <cstdlib>
#include <cstring>

#include "survey/injected/capturing/elf_image.h"

namespace warptune::survey::injected::capturing {

void KernelImage::take(const void* image, std::size_t bytes) {
  bool has_kernel = false;
  ElfImage(image, bytes).visit_functions([&](const char* name) {
    has_kernel = has_kernel || plan_.kernel_of(name) != counting::kNotPlanned;
  });
  if (!has_kernel) return;
  ::pthread_mutex_lock(&lock_);
  void* const copy = held_ ? nullptr : std::malloc(bytes);
  if (copy != nullptr) {
    std::memcpy(copy, image, bytes);
    std::free(data_);
    data_ = static_cast<std::uint8_t*>(copy);
    bytes_ = bytes;
    ++found_;
  }
  ::pthread_mutex_unlock(&lock_);
}

void KernelImage::hold() {
  ::pthread_mutex_lock(&lock_);
  held_ = true;
  ::pthread_mutex_unlock(&lock_);
}

}  // namespace warptune::survey::injected::capturing
