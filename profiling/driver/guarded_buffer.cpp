// Allocates memory between two guards, and writes the guards.
#include "profiling/driver/guarded_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

#include "profiling/driver/device_helpers.h"
#include "profiling/driver/texture_object.h"

namespace warptune::profiling::driver {

namespace {

// The offset of the first guard. With it, `data()` has the alignment that textures need.
constexpr std::size_t kLeadBytes = kTextureAlignment - kGuardBytes;

std::size_t bytes_of(Guards guards) { return guards == Guards::kAround ? kGuardBytes : 0; }

}  // namespace

GuardedBuffer::GuardedBuffer(Guards guards) : guard_bytes_(bytes_of(guards)) {}

void GuardedBuffer::resize(std::size_t bytes, const std::string& what) {
  if (bytes == bytes_ && memory_) return;
  if (bytes > capacity_ || guard_bytes_ == 0 || !memory_) {
    memory_.reset();
    capacity_ = 0;
    memory_ = allocate(guard_bytes_ > 0 ? allocated_bytes(bytes) : std::max<std::size_t>(bytes, 1), what);
    capacity_ = bytes;
  }
  bytes_ = bytes;
  write_guards();
}

void GuardedBuffer::write_guards() {
  if (guard_bytes_ == 0) return;
  std::array<std::uint8_t, kGuardBytes> guard{};
  for (std::size_t i = 0; i < guard.size(); ++i) guard[i] = guard_byte(i);
  upload(guard_before(), guard.data(), guard.size());
  upload(guard_after(), guard.data(), guard.size());
}

std::size_t GuardedBuffer::guarded_bytes() const { return bytes_ + 2 * guard_bytes_; }

CUdeviceptr GuardedBuffer::guard_before() const {
  return memory_.get() + (guard_bytes_ > 0 ? kLeadBytes : 0);
}

CUdeviceptr GuardedBuffer::data() const { return guard_before() + guard_bytes_; }

std::size_t GuardedBuffer::allocated_bytes(std::size_t bytes) { return kLeadBytes + bytes + 2 * kGuardBytes; }

HostBuffer::HostBuffer(Guards guards) : guard_bytes_(bytes_of(guards)) {}

std::byte* HostBuffer::data() const { return memory_ + guard_bytes_; }

bool HostBuffer::resize(kernel_templates::Memory kind, std::size_t bytes, const std::string& what) {
  if (bytes == bytes_ && memory_ != nullptr) return false;
  pinned_.reset();
  pageable_.reset();
  memory_ = nullptr;
  const std::size_t needed = std::max<std::size_t>(bytes + 2 * guard_bytes_, 1);
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
