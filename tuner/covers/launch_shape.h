// What the definition of a kernel says about the launches of a configuration at any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/gpu_description.h"
#include "model/space.h"
#include "model/value.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// The grid of a kernel as a function of the sizes of a range, and which configurations are valid at a size.
class LaunchShape {
 public:
  /// `problem` has the values of the entries that are not in the range. What else it has is replaced.
  LaunchShape(kernel_templates::KernelDefinition definition, const SizeRange& range,
              const model::NamedValues& problem, const model::GpuDescription& gpu);

  /// The names of the range's entries, in its order.
  const std::vector<std::string>& names() const { return names_; }
  std::int64_t sm_count() const { return sm_count_; }
  /// The entries on which the grid does not depend. So each block works through them alone. Indices.
  const std::vector<std::size_t>& inner() const { return inner_; }
  /// The number of blocks of the main launch. No value if the definition has a host program, or if the grid
  /// cannot be computed or is empty.
  std::optional<double> blocks(const model::NamedValues& configuration, const Size& size) const;
  /// The same as an expression of a definition, with the values of the configuration.
  std::string blocks_text(const model::NamedValues& configuration) const;
  /// Whether the constraints of the definition allow a configuration at a size.
  bool allows(const model::NamedValues& configuration, const Size& size) const;

 private:
  model::NamedValues constants_at(const Size& size) const;

  kernel_templates::KernelDefinition definition_;
  std::vector<std::string> names_;
  std::vector<std::size_t> inner_;
  model::NamedValues constants_;  // The problem and the attributes of the GPU.
  std::int64_t sm_count_ = 1;
  mutable std::map<Size, model::Space> spaces_;  // Made on first use.
};

}  // namespace warptune::tuner::covers
