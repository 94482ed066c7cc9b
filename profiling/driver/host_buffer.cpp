#include "profiling/driver/host_buffer.h"

#include <fmt/format.h>

#include <new>

#include "profiling/driver/device_helpers.h"

namespace warptune::profiling::driver {

std::byte* HostBuffer::data() const { return memory_ + kGuardBytes; }

bool HostBuffer::resize(kernel_templates::Memory kind, std::size_t bytes, const std::string& what) {
  if (bytes == bytes_ && memory_ != nullptr) return false;
  pinned_.reset();
  pageable_.reset();
  memory_ = nullptr;
  const std::size_t needed = bytes + 2 * kGuardBytes;
  try {
    if (kind == kernel_templates::Memory::kPinned) {
      pinned_ = allocate_pinned(needed);
      memory_ = static_cast<std::byte*>(pinned_.get());
    } else {
      pageable_ = std::make_unique<std::byte[]>(needed);
      memory_ = pageable_.get();
    }
  } catch (const std::bad_alloc&) {
    throw base::MachineError(fmt::format("{} needs {} bytes of the host's memory", what, needed), "");
  }
  bytes_ = bytes;
  return true;
}

}  // namespace warptune::profiling::driver
