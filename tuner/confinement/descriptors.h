#pragma once

namespace warptune::tuner::confinement {

/// Closes all descriptors of this process from the number `first` on. May be called between fork and exec.
void close_descriptors_from(int first);

}  // namespace warptune::tuner::confinement
