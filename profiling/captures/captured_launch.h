// One launch of a kernel of some program, with everything that is needed to repeat it alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warptune::profiling::captures {

/// A parameter of the kernel, in bytes of the block of all parameters.
struct CapturedParameter {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool operator==(const CapturedParameter&) const = default;
};

/// An allocation to which a parameter points, or a variable of the kernel's code.
struct CapturedBuffer {
  std::uint64_t address = 0;  ///< Where it was in the program.
  std::string variable;       ///< The mangled name of a variable. Empty for an allocation.
  std::string before;         ///< Its bytes before the launch.
  /// Its bytes after the launch, as many as before it. Absent if the launch changed nothing.
  std::optional<std::string> after;
  bool operator==(const CapturedBuffer&) const = default;
};

/// An aligned word of the block of parameters that points into an allocation, or to its end.
struct PointerPlace {
  std::uint32_t offset = 0;  ///< The place of the word in the block.
  std::size_t buffer = 0;    ///< The number of the buffer.
  std::uint64_t within = 0;  ///< The distance from the begin of the buffer.
  bool operator==(const PointerPlace&) const = default;
};

/// A captured launch. Pointers within buffers are contents like others: a replay does not adapt them.
struct CapturedLaunch {
  std::string kernel;  ///< The mangled name, which the image knows.
  std::string name;    ///< The demangled name.
  std::string image;   ///< The code, as an ELF image for the architecture of the GPU.
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< 0 for a launch without clusters.
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::int32_t carveout = -1;  ///< The preferred share of shared memory in per cent, or -1.
  std::vector<CapturedParameter> parameters;
  std::string parameter_bytes;  ///< The block of all parameters.
  std::vector<CapturedBuffer> buffers;
  std::vector<std::string> notes;  ///< What a replay cannot repeat, as sentences.

  std::uint64_t launch = 1;  ///< The number of the launch among those of its kernel, from 1.
  std::vector<std::string> command;
  std::string gpu_name;
  int compute_major = 0;
  int compute_minor = 0;
  int driver_version = 0;  ///< As `cuDriverGetVersion` returns it.
  int cupti_version = 0;
  std::string warptune_version;
  std::int64_t captured_ms = 0;  ///< In Unix time.
  /// The median time of the launches with this geometry in a run that captured nothing, and their number.
  std::optional<double> application_ns;
  std::int64_t application_launches = 0;
  bool operator==(const CapturedLaunch&) const = default;

  /// The words of the block that point into an allocation or to its end, in the order of their offsets.
  std::vector<PointerPlace> pointers() const;
  /// The sum of the sizes of all buffers.
  std::uint64_t contents_bytes() const;
};

/// How the contents of a buffer differ from what was captured.
struct BufferDifference {
  std::size_t buffer = 0;
  std::uint64_t different_bytes = 0;
  std::uint64_t first = 0;  ///< The position of the first byte that differs.
  /// The largest relative difference, if the buffer is read as 32-bit floating-point numbers. Absent if one
  /// of the numbers that differ is not finite.
  std::optional<double> relative_as_f32;
};
/// Compares found contents with those after the captured launch. Returns std::nullopt if they are equal.
/// `found` has as many bytes as the buffer.
std::optional<BufferDifference> difference_of(const CapturedLaunch& launch, std::size_t buffer,
                                              const std::string& found);

}  // namespace warptune::profiling::captures
