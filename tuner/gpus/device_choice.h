#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/gpu_description.h"

namespace warptune::tuner::gpus {

/// The GPUs that were chosen on a machine.
struct DeviceChoice {
  bool all = false;
  std::vector<int> ordinals{0};  ///< All different, in the order given; ignored with `all`.

  bool operator==(const DeviceChoice&) const = default;

  /// Reads `1`, `2,0` or `all`. Throws `base::InputError` for any other text.
  static DeviceChoice parse(const std::string& text);
  /// The ordinals on a machine with `count` GPUs. Throws `base::MachineError` for an ordinal that it lacks.
  std::vector<int> resolve(std::size_t count) const;
};

/// Groups ordinals by the GPU's model (database key). The models are in the order in which they first occur.
std::vector<std::vector<int>> devices_by_model(const std::vector<model::GpuDescription>& gpus,
                                               const std::vector<int>& chosen);

/// The items of a list separated by commas, without surrounding blanks. `option` is the option that has this
/// text. Throws `base::InputError` when an item is empty.
std::vector<std::string> listed_items(const std::string& option, const std::string& text);

}  // namespace warptune::tuner::gpus
