// Which GPUs a task may run on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/fields.h"
#include "model/gpu_description.h"

namespace warptune::fleet {

/// A condition on a GPU. A GPU fits if it meets every part that is given.
struct GpuPredicate {
  std::string
      name{};  ///< A pattern of the GPU's name with `*` and `?`, in any case of letters. Empty: any name.
  std::optional<int> min_capability{};  ///< Ten times the compute capability: 90 is 9.0.
  std::optional<int> max_capability{};  ///< Inclusive.
  std::optional<std::int64_t> min_memory_bytes{};

  bool fits(const model::GpuDescription& gpu) const;
  /// The condition as people write it: `NVIDIA H100*, compute capability 9.0 and above, memory 40 GiB and
  /// above`. "any GPU" if nothing is given.
  std::string text() const;
  bool operator==(const GpuPredicate&) const = default;
};

template <model::MaybeConst<GpuPredicate> Object, class Visit>
void visit_fields(Object& predicate, Visit&& visit) {
  visit("name", predicate.name);
  visit("min_capability", predicate.min_capability);
  visit("max_capability", predicate.max_capability);
  visit("min_memory_bytes", predicate.min_memory_bytes);
}

}  // namespace warptune::fleet
