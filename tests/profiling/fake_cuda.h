#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace warptune::profiling {

/// The answers of the fake libcuda. Its memory is the host's. It has one kernel, which it never runs. It does
/// everything immediately.
struct FakeCuda {
  int devices = 1;
  std::map<CUdevice_attribute, int> attributes;  ///< 0 for those that are missing.
  std::size_t free_bytes = std::size_t{1} << 30;

  /// This and the following members describe the kernel.
  int registers = 32;
  int static_shared_bytes = 0;
  int max_threads = 1024;
  std::vector<std::size_t> parameter_sizes;
  int blocks_per_sm = 2;
  int clusters = 1;

  std::vector<std::pair<CUfunction_attribute, int>> attributes_set;
  /// How often the kernel was looked up in its module.
  int lookups = 0;
  int contexts = 0;  ///< Contexts that are retained and not released.
};

/// Returns the state of the loaded library.
FakeCuda& fake_cuda();

}  // namespace warptune::profiling
