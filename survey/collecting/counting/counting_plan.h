// The counting plan: which launches the injected library counts, and with which configuration of CUPTI. The
// parent writes it as a file, and the injected library reads it. All numbers are little endian, and all sizes
// are multiples of eight bytes.
#pragma once

#include <array>
#include <cstdint>

namespace warptune::survey::collecting::counting {

constexpr std::array<char, 8> kPlanMagic{'W', 'T', 'C', 'O', 'U', 'N', 'T', '1'};
/// The largest numbers of kernels and of configurations of a plan.
constexpr std::uint32_t kMaxPlannedKernels = 64;
constexpr std::uint32_t kMaxPlannedConfigs = 32;

/// The beginning of a plan. The kernels follow, then the configurations.
struct RawPlan {
  std::array<char, 8> magic = kPlanMagic;
  std::uint32_t kernels = 0;
  std::uint32_t configs = 0;
  std::uint32_t launches = 0;  ///< How many launches of each kernel are counted in each process.
  std::uint32_t reserved = 0;
  std::uint64_t longest_ns = 0;  ///< Counting ends when a process has spent so much time on it.
};

/// A kernel whose launches are counted. Its demangled name follows, with a zero byte and padding.
struct RawPlannedKernel {
  std::array<std::uint32_t, 3> grid{};   ///< Launches with another grid are not counted.
  std::array<std::uint32_t, 3> block{};  ///< The same for blocks.
  std::uint32_t length = 0;              ///< The length of the name, without the zero byte.
  std::uint32_t reserved = 0;
};

/// What CUPTI needs to count on one kind of chip. The names of the metrics follow, each with a zero byte,
/// then padding, then CUPTI's configuration image with padding.
struct RawPlannedConfig {
  std::array<char, 16> chip{};  ///< CUPTI's name, with a zero byte.
  std::uint32_t metrics = 0;    ///< The number of names.
  std::uint32_t names_length = 0;
  std::uint64_t image_bytes = 0;
};

static_assert(sizeof(RawPlan) == 32 && sizeof(RawPlannedKernel) == 32 && sizeof(RawPlannedConfig) == 32);

}  // namespace warptune::survey::collecting::counting
