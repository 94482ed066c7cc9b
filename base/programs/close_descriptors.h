#pragma once

namespace warptune::base::programs {

/// Closes all descriptors of this process from the number `first` on. May be called between fork and exec.
void close_descriptors_from(int first);

}  // namespace warptune::base::programs
