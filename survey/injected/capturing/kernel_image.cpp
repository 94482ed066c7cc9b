#include "survey/injected/capturing/kernel_image.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "survey/collecting/capturing/captured_stream.h"
#include "survey/collecting/raw_stream.h"
#include "survey/injected/capturing/elf_image.h"

namespace warptune::survey::injected::capturing {

void KernelImage::take(const void* image, std::size_t bytes) {
  bool has_kernel = false;
  ElfImage(image, bytes).visit_functions([&](const char* name) {
    has_kernel = has_kernel || plan_.find(name) != counting::kNotPlanned;
  });
  if (!has_kernel) return;
  ::pthread_mutex_lock(&lock_);
  void* const copy = held_ ? nullptr : std::malloc(bytes);
  if (copy != nullptr) {
    std::memcpy(copy, image, bytes);
    std::free(data_);
    data_ = static_cast<std::uint8_t*>(copy);
    bytes_ = bytes;
    count(collecting::raw_checksum(image, bytes, bytes));
  }
  ::pthread_mutex_unlock(&lock_);
}

// Each context that needs code loads it.
void KernelImage::count(std::uint64_t checksum) {
  const std::size_t known = std::min<std::size_t>(found_, checksums_.size());
  if (std::find(checksums_.begin(), checksums_.begin() + known, checksum) != checksums_.begin() + known)
    return;
  if (known < checksums_.size()) checksums_[known] = checksum;
  ++found_;
}

bool KernelImage::write(RawFile& file) const {
  const std::size_t padded = collecting::raw_padded(bytes_);
  const collecting::capturing::RawCapturedImage raw{bytes_};
  auto* const bytes = static_cast<char*>(std::calloc(1, sizeof(raw) + padded));
  if (bytes == nullptr) return false;
  std::memcpy(bytes, &raw, sizeof(raw));
  std::memcpy(bytes + sizeof(raw), data_, bytes_);
  const bool written =
      file.open(true) && file.write(collecting::RawChunk::kCapturedImage, 1, bytes, sizeof(raw) + padded);
  file.close();
  std::free(bytes);
  return written;
}

void KernelImage::hold() {
  ::pthread_mutex_lock(&lock_);
  held_ = true;
  ::pthread_mutex_unlock(&lock_);
}

}  // namespace warptune::survey::injected::capturing
