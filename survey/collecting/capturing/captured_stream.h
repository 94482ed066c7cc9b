// What the injected library writes about a captured launch, as chunks of the raw stream (raw_stream.h). A
// stream has at most one captured launch. All numbers are little endian, and all sizes are multiples of eight
// bytes.
#pragma once

#include <array>
#include <cstdint>

namespace warptune::survey::collecting::capturing {

/// The content of a chunk of the kind `kCapturedLaunch`. The parameters follow as `RawCapturedParameter`,
/// then the block of their bytes with padding, then the mangled name of the kernel with padding.
struct RawCapturedLaunch {
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> cluster{};  ///< 0 for a launch without clusters.
  std::uint32_t dynamic_shared = 0;
  std::uint32_t cooperative = 0;
  std::int32_t carveout = -1;  ///< CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT.
  std::uint32_t parameters = 0;
  std::uint32_t parameter_bytes = 0;  ///< The size of the block, without padding.
  std::uint32_t name_length = 0;
  std::uint32_t buffers = 0;
  std::uint32_t unread_variables = 0;  ///< Variables of the code whose contents could not be read.
  std::uint32_t left_out_attributes = 0;
  std::uint32_t images_of_name = 0;  ///< How many loaded images have a kernel of this name.
  std::int32_t driver_version = 0;
  std::uint64_t launch = 0;  ///< The number of the launch among those of the kernel, from 1.
  std::array<std::uint8_t, 16> uuid{};
};

/// A parameter of the kernel, in bytes of the block.
struct RawCapturedParameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

/// An allocation to which a parameter points, or a variable of the code. The name of a variable follows with
/// padding. Buffers have the numbers 0, 1, 2, ... in the order in which they are in the stream.
struct RawCapturedBuffer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t name_length = 0;  ///< 0 for an allocation.
  std::uint32_t reserved = 0;
};

/// Contents of a buffer before or after the launch. The bytes follow, with padding. The parts of a buffer are
/// in the order of their offsets.
struct RawCapturedPart {
  std::uint32_t buffer = 0;
  std::uint32_t after = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// The code of the kernel, as an ELF image. The bytes follow, with padding.
struct RawCapturedImage {
  std::uint64_t bytes = 0;
};

/// What became of the launches of the kernel.
struct RawCapturedTotals {
  std::uint64_t launches = 0;   ///< Those that ran as launches of their own.
  std::uint64_t in_graphs = 0;  ///< Those that became nodes of graphs, or came while a thread captured.
};

/// The largest number of buffers of a captured launch.
constexpr std::uint32_t kMaxCapturedBuffers = 512;
/// The largest size of a kernel's parameters in bytes (CUDA C++ Programming Guide, "Global Function
/// Parameters": 32,764).
constexpr std::uint32_t kMaxParameterBytes = 32768;

static_assert(sizeof(RawCapturedLaunch) == 104 && sizeof(RawCapturedParameter) == 8);
static_assert(sizeof(RawCapturedBuffer) == 24 && sizeof(RawCapturedPart) == 24);

}  // namespace warptune::survey::collecting::capturing
