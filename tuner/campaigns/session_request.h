#pragma once

#include "fleet/campaign.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::campaigns {

/// The request of a session with the options of a class. Kernel, sizes, GPUs and database are left to the
/// caller. Throws `base::InputError` for an option that `warptune tune` would refuse, with the same message.
session::TuningRequest request_of(const fleet::SessionOptions& options);

}  // namespace warptune::tuner::campaigns
