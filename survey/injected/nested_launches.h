// Which launches of the CUDA runtime need no record of their own, because the driver's call within them has
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warptune::survey::injected {

/// What is known about one function of the runtime that launches kernels.
struct LaunchEvidence {
  std::uint32_t launches = 0;
  std::uint32_t nested = 0;  ///< Those of them with a recorded launch of the driver within.
};

/// A launch by the runtime calls the driver. If CUPTI records both calls, the outer record says nothing new,
/// but costs the program more than that of the driver. Whether CUPTI does so depends on its version, and so
/// does the call to which a kernel refers. So both are learned from the first records. The caller sees to it
/// that one thread at a time uses it.
class NestedLaunches {
 public:
  /// A recorded call that launches. Times are in nanoseconds.
  struct Call {
    std::uint32_t thread = 0;
    std::uint32_t correlation = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
  };

  void add_driver_call(const Call& call);
  /// `evidence` is that of the function, and lives as long as this object.
  void add_runtime_call(const Call& call, LaunchEvidence& evidence);
  void add_kernel(std::uint32_t correlation);

  /// Whether launches of a function need no record: nearly all have one of the driver within, and kernels
  /// refer to the driver's records.
  bool is_superfluous(const LaunchEvidence& evidence) const;

 private:
  static constexpr std::uint32_t kEnough = 64;
  // The last correlations of a kind, each at its remainder. CUPTI numbers calls one by one.
  using Correlations = std::array<std::uint32_t, 1024>;

  static bool has(const Correlations& correlations, std::uint32_t wanted);
  static void add(Correlations& correlations, std::uint32_t correlation);

  Call driver_;   ///< The last one of the driver.
  Call runtime_;  ///< The last one of the runtime without one of the driver yet.
  LaunchEvidence* runtime_evidence_ = nullptr;
  std::uint32_t linked_ = 0;  ///< Kernels that refer to a call of the driver.
  Correlations driver_correlations_{};
  Correlations kernel_correlations_{};
};

}  // namespace warptune::survey::injected
