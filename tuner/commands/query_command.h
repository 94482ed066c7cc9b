#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/querying/kernel_query.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::commands {

/// The arguments of `warptune query`, parsed and checked.
struct QueryOptions : querying::KernelQuestion {
  /// Set if one configuration for several GPUs is asked for. `gpu` has no value then.
  std::optional<querying::PortableRequest> portable;
  bool json = false;
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<QueryOptions> parse_query(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
