#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/gpu_description.h"

namespace warptune::tuner::gpus {

/// A GPU by its compute capability and its number of SMs, and optionally by the bandwidth of its memory. The
/// bandwidth distinguishes models such as H100 and H200.
struct DescribedGpu {
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::int64_t memory_bandwidth_bytes_per_s = 0;  ///< 0: not given.

  /// Reads `cc=80,sms=108` or `cc=8.0,sms=108,bandwidth=1555`. The bandwidth is in GB/s. Returns std::nullopt
  /// for a text without `=`, which is a name.
  /// Throws `base::InputError` for any other text, and for a compute capability that is not known.
  static std::optional<DescribedGpu> parse(const std::string& text);

  /// Whether this may be the GPU. Bandwidths that differ by at most 3 % are the same: vendors round them.
  bool fits(const model::GpuDescription& gpu) const;
  /// A GPU with the limits of the compute capability. Its L2 and clocks are unknown.
  model::GpuDescription description() const;
};

}  // namespace warptune::tuner::gpus
