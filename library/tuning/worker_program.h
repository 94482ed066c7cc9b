#pragma once

#include <string>

namespace warptune::library::tuning {

/// The program `warptune` that runs the workers of a tuning. It is `named` if that is not empty, otherwise
/// `$WARPTUNE_WORKER`. Without both it is looked for in the library's folder, in `bin` beside that, and in
/// the folders of `$PATH`. Throws `base::MachineError` with the places that were looked at if there is none.
std::string worker_program_for(const std::string& named);

}  // namespace warptune::library::tuning
