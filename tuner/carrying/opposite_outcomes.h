#pragma once

#include <string>

#include "db/store.h"
#include "model/measurement.h"

namespace warptune::tuner::carrying {

/// Why the rows of two texts of a kernel cannot have the same code; empty if they can. They cannot if a
/// configuration has a time with one text and cannot work with the other. Such a configuration has a wrong
/// result, does not compile, or cannot be launched.
std::string contradiction_of(const db::Store& store, const model::Workload& earlier,
                             const model::Workload& present);

}  // namespace warptune::tuner::carrying
