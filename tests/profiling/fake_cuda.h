#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace warptune::profiling {

/// What the fake libcuda answers. Its memory is the host's, it has one kernel, which it never runs, and it
/// does everything at once.
struct FakeCuda {
  int devices = 1;
  std::map<CUdevice_attribute, int> attributes;  ///< 0 where not named.
  std::size_t free_bytes = std::size_t{1} << 30;

  int registers = 32;  ///< Of the kernel, like what follows.
  int static_shared_bytes = 0;
  int max_threads = 1024;
  std::vector<std::size_t> parameter_sizes;
  int blocks_per_sm = 2;
  int clusters = 1;

  std::vector<std::pair<CUfunction_attribute, int>> attributes_set;
  int lookups = 0;   ///< Of the kernel in its module.
  int contexts = 0;  ///< Retained and not released.
};

/// The state of the library that is loaded.
FakeCuda& fake_cuda();

}  // namespace warptune::profiling
