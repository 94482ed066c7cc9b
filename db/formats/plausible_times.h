#pragma once

#include "model/measurement.h"

namespace warptune::db::formats {

/// Makes a measured row of another tuner's file a failed one without a time if its time cannot be right, and
/// returns whether it did. Such a time is below 1 ns, above 1e6 s, or more than 1 % outside of the range of
/// the samples. A row with a sample that is not a positive number fails, too.
bool fail_if_implausible(model::Measurement& measurement);

}  // namespace warptune::db::formats
