#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/gpu_description.h"

namespace warptune::tuner::gpus {

/// Which GPUs of a machine.
struct DeviceChoice {
  bool all = false;
  std::vector<int> ordinals{0};  ///< Different ones, in the order asked for; not looked at for `all`.

  /// `1`, `2,0` or `all`. Throws `base::InputError` on anything else.
  static DeviceChoice parse(const std::string& text);
  /// The ordinals on a machine that has `count` GPUs. Throws `base::MachineError` on one that it lacks.
  std::vector<int> resolve(std::size_t count) const;
};

/// Ordinals grouped by model (database key), models in the order in which they first come.
std::vector<std::vector<int>> devices_by_model(const std::vector<model::GpuDescription>& gpus,
                                               const std::vector<int>& chosen);

/// Items between commas, without blanks round them. `option` is what the text was given to. Throws
/// `base::InputError` where one is empty.
std::vector<std::string> listed_items(const std::string& option, const std::string& text);

}  // namespace warptune::tuner::gpus
