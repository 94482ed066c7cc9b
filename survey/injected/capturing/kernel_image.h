// The code of the kernel that is captured, as CUPTI shows it when it is loaded.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "survey/injected/counting/planned_launches.h"
#include "survey/injected/raw_file.h"

namespace warptune::survey::injected::capturing {

/// Keeps the last loaded image that has the planned kernel. CUPTI does not say which module a function
/// belongs to, so the name decides.
class KernelImage {
 public:
  /// `plan` must outlive this object.
  explicit KernelImage(const counting::PlannedLaunches& plan) : plan_(plan) {}

  /// Looks at a loaded image, which may be gone after the call. Several threads may call it.
  void take(const void* image, std::size_t bytes);
  /// Keeps the present image: those that are loaded later are not looked at.
  void hold();
  /// Writes the image that is held. Returns false if there is no room.
  bool write(RawFile& file) const;
  const std::uint8_t* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// How many different images with the kernel were loaded.
  std::uint32_t found() const { return found_; }

 private:
  void count(std::uint64_t checksum);

  const counting::PlannedLaunches& plan_;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint32_t found_ = 0;
  std::array<std::uint64_t, 64> checksums_{};  ///< Checksums of the first images that were found.
  bool held_ = false;
};

}  // namespace warptune::survey::injected::capturing
