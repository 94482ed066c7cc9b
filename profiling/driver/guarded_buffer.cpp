// Allocates memory between two guards, and writes the guards. Copies rows between packed and padded memory,
// and fills the padding.
#include "profiling/driver/guarded_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>

#include "profiling/driver/device_helpers.h"
#include "profiling/driver/texture_object.h"

namespace warptune::profiling::driver {

using kernel_templates::ArgumentKind;
using kernel_templates::Memory;

namespace {

// The offset of the first guard. With it, `data()` has the alignment that textures need.
constexpr std::size_t kLeadBytes = kTextureAlignment - kGuardBytes;

void copy_rows(CUdeviceptr from, std::size_t from_pitch, CUdeviceptr to, std::size_t to_pitch,
               const RowLayout& layout, CUstream stream) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.srcPitch = from_pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = to;
  copy.dstPitch = to_pitch;
  copy.WidthInBytes = layout.row_bytes;
  copy.Height = layout.rows;
  WARPTUNE_CUDA(cuMemcpy2DAsync(&copy, stream));
}

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

SeparateBuffer::SeparateBuffer(Guards guards) : guard_bytes_(bytes_of(guards)) {}

std::byte* SeparateBuffer::guard_before() const { return data_ - guard_bytes_; }

std::size_t SeparateBuffer::guarded_bytes() const {
  return std::max<std::size_t>(bytes_ + 2 * guard_bytes_, 1);
}

bool SeparateBuffer::resize(Memory kind, std::size_t bytes, const std::string& what) {
  if (bytes == bytes_ && data_ != nullptr) return false;
  pinned_.reset();
  pageable_.reset();
  managed_.reset();
  data_ = nullptr;
  bytes_ = bytes;
  try {
    if (kind == Memory::kManaged) {
      managed_.emplace(bytes, guard_bytes_, what);
      address_ = managed_->data();
      data_ = reinterpret_cast<std::byte*>(address_);
      return true;
    }
    std::byte* memory = nullptr;
    if (kind == Memory::kPageable) {
      pageable_ = std::make_unique<std::byte[]>(guarded_bytes());
      memory = pageable_.get();
    } else {
      pinned_ = kind == Memory::kWriteCombined ? allocate_write_combined(guarded_bytes(), what)
                                               : allocate_pinned(guarded_bytes(), what);
      memory = static_cast<std::byte*>(pinned_.get());
    }
    data_ = memory + guard_bytes_;
    // The GPU uses the host's address, except for write-combined memory.
    address_ = kind == Memory::kWriteCombined ? gpu_address_of(memory) + guard_bytes_
                                              : reinterpret_cast<CUdeviceptr>(data_);
  } catch (const std::bad_alloc&) {
    throw base::MachineError(fmt::format("{} needs {} bytes of the host's memory", what, guarded_bytes()),
                             "");
  }
  return true;
}

void SeparateBuffer::write(CUdeviceptr contents, CUstream stream) const {
  if (managed_) {  // The driver knows where the pages are.
    WARPTUNE_CUDA(cuMemcpyAsync(address_, contents, bytes_, stream));
  } else {
    WARPTUNE_CUDA(cuMemcpyDtoHAsync(data_, contents, bytes_, stream));
  }
}

void SeparateBuffer::write_guarded(const GuardedBuffer& from, CUstream stream) const {
  if (managed_) {
    WARPTUNE_CUDA(cuMemcpyAsync(address_ - guard_bytes_, from.guard_before(), guarded_bytes(), stream));
  } else {
    WARPTUNE_CUDA(cuMemcpyDtoHAsync(guard_before(), from.guard_before(), guarded_bytes(), stream));
  }
}

void SeparateBuffer::read_guarded(const GuardedBuffer& to, CUstream stream) const {
  if (managed_) {
    WARPTUNE_CUDA(cuMemcpyAsync(to.guard_before(), address_ - guard_bytes_, guarded_bytes(), stream));
  } else {
    WARPTUNE_CUDA(cuMemcpyHtoDAsync(to.guard_before(), guard_before(), guarded_bytes(), stream));
  }
}

void SeparateBuffer::write_guards() const {
  for (std::size_t i = 0; i < guard_bytes_; ++i) {
    guard_before()[i] = std::byte{guard_byte(i)};
    data_[bytes_ + i] = std::byte{guard_byte(i)};
  }
}

void SeparateBuffer::settle(CUstream stream) const {
  if (managed_) managed_->settle(stream);
}

RowLayout::RowLayout(const kernel_templates::ResolvedArgument& padded)
    : rows(static_cast<std::size_t>(padded.rows())),
      row_bytes(static_cast<std::size_t>(padded.width * padded.element_bytes())),
      pitch_bytes(static_cast<std::size_t>(padded.pitch * padded.element_bytes())) {}

std::uint8_t padding_byte(ArgumentKind kind) {
  return kind == ArgumentKind::kIn ? 0xFF : kind == ArgumentKind::kInOut ? 0xFE : 0xFD;
}

bool PaddedBuffer::resize(const RowLayout& layout, std::uint8_t byte, CUstream stream,
                          const std::string& what) {
  if (layout == layout_ && byte == byte_) return false;
  WARPTUNE_CUDA(cuStreamSynchronize(stream));  // A launch may still use the old rows.
  layout_ = {};
  buffer_.resize(layout.bytes(), what);
  layout_ = layout;
  byte_ = byte;
  repair(stream);
  return true;
}

void PaddedBuffer::write(CUdeviceptr packed, CUstream stream) const {
  copy_rows(packed, layout_.row_bytes, data(), layout_.pitch_bytes, layout_, stream);
}

void PaddedBuffer::read(CUdeviceptr packed, CUstream stream) const {
  copy_rows(data(), layout_.pitch_bytes, packed, layout_.row_bytes, layout_, stream);
}

void PaddedBuffer::repair(CUstream stream) {
  buffer_.write_guards();
  fill_padding(stream);
}

void PaddedBuffer::fill_padding(CUstream stream) const {
  WARPTUNE_CUDA(cuMemsetD2D8Async(data() + layout_.row_bytes, layout_.pitch_bytes, byte_,
                                  layout_.padding_bytes(), layout_.rows, stream));
}

}  // namespace warptune::profiling::driver
