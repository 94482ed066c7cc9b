// The memory of a launch that is captured: the allocations to which its parameters point, and the variables
// of its code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "survey/collecting/capturing/captured_stream.h"
#include "survey/injected/capturing/capturing_functions.h"
#include "survey/injected/capturing/elf_image.h"
#include "survey/injected/interning.h"
#include "survey/injected/raw_file.h"

namespace warptune::survey::injected::capturing {

/// The object is large, so it is allocated once. One thread at a time uses it.
class CapturedMemory {
 public:
  explicit CapturedMemory(const CapturingFunctions& functions) : functions_(functions) {}
  CapturedMemory(const CapturedMemory&) = delete;
  CapturedMemory& operator=(const CapturedMemory&) = delete;
  ~CapturedMemory();

  /// Finds the allocations to which aligned words of a block of parameters point. Returns why they cannot be
  /// captured, as a sentence, or null.
  const char* find_allocations(const std::uint8_t* block, std::size_t bytes);
  /// Finds the variables of a module. If it is null, they count as unread. `image` is its code and must
  /// outlive this object.
  void find_variables(CUmodule module, const ElfImage& image);
  /// Returns why the contents are too large, as a sentence, or null.
  const char* check_size(std::uint64_t limit);
  std::uint32_t count() const { return count_; }
  std::uint32_t unread_variables() const { return unread_variables_; }

  /// Writes what the buffers are. Returns false if the file has no room.
  bool write_buffers(RawFile& file) const;
  /// Writes the present contents of all buffers. `after` says whether these are the contents after the launch
  /// or before it. All work on the GPU must have ended. Returns why that fails, as a sentence, or null.
  const char* write_contents(RawFile& file, bool after);

 private:
  struct Buffer {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    const char* variable = nullptr;
  };
  const char* add_allocation(std::uint64_t pointer, CUdevice device);
  const char* write_part(RawFile& file, std::uint32_t buffer, std::uint64_t offset, bool after);

  const CapturingFunctions& functions_;
  std::array<Buffer, collecting::capturing::kMaxCapturedBuffers> buffers_{};
  std::uint32_t count_ = 0;
  std::uint32_t unread_variables_ = 0;
  std::array<char, 256> problem_{};
  void* part_ = nullptr;  ///< Room for a `RawCapturedPart` and the bytes of this part, which follow it.
};

}  // namespace warptune::survey::injected::capturing
