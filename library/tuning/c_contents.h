#pragma once

#include "library/include/warptune_tuning.h"
#include "library/tuning/program_data.h"

namespace warptune::library::tuning {

/// Adds the contents that the options name. `ordinal` is the device of buffers in device memory. Throws
/// `base::InputError` for contents that no argument can have, and what `ProgramData::add` throws.
void add_contents(ProgramData& data, const warptune_tuning_options& options, int ordinal);

/// A function that calls the check of the options, which must not be null.
ProgramCheck check_of(const warptune_tuning_options& options);

}  // namespace warptune::library::tuning
