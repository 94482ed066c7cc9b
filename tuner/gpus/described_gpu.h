#pragma once

#include <optional>
#include <string>

#include "model/gpu_description.h"

namespace warptune::tuner::gpus {

/// A GPU by its compute capability and its number of SMs.
struct DescribedGpu {
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;

  /// Reads `cc=80,sms=108` or `cc=8.0,sms=108`. Returns std::nullopt for a text without `=`, which is a name.
  /// Throws `base::InputError` for any other text, and for a compute capability that is not known.
  static std::optional<DescribedGpu> parse(const std::string& text);

  bool fits(const model::GpuDescription& gpu) const;
  /// A GPU with the limits of the compute capability. Its L2, memory and clocks are unknown.
  model::GpuDescription description() const;
};

}  // namespace warptune::tuner::gpus
