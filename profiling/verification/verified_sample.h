#pragma once

#include <functional>
#include <optional>
#include <string>

#include "profiling/timing/sample.h"

namespace warptune::profiling::verification {

/// A timed launch whose outputs were checked.
struct VerifiedSample {
  timing::Sample sample;
  /// The time of the first launch. It differs from `sample.ns` if the launch was repeated.
  double first_ns = 0.0;
  std::optional<std::string> fault;  ///< Why the outputs are wrong.
};

/// Takes a sample by `time`, which prepares and times one launch, and checks it by `verify`. A launch whose
/// clock differs from the session's is repeated. Each repetition is checked, too: only the first launch on
/// new inputs shows whether a kernel remembers the results for others. Stops at the first fault. Needs no
/// GPU.
VerifiedSample take_verified(const std::function<timing::Sample()>& time,
                             const std::function<std::optional<std::string>()>& verify);

}  // namespace warptune::profiling::verification
