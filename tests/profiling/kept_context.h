#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "profiling/driver/cuda_driver.h"
#include "profiling/gpu.h"

namespace warptune::profiling {

/// Keeps the context of the first GPU while it lives. Every runner of the process uses the same context, and
/// making one takes 0.3 s, which processes cannot do side by side. Does nothing without a GPU.
class KeptContext {
 public:
  KeptContext() {
    if (!enumerate_gpus().gpus.empty()) context_.emplace(0);
  }

 private:
  std::optional<driver::Context> context_;
};

/// Returns the folder that keeps the compiled helper kernels of all tests, from the variable
/// `WARPTUNE_TEST_COMPILE_CACHE`. Empty: each runner compiles them again.
inline std::filesystem::path test_compile_cache() {
  const char* folder = std::getenv("WARPTUNE_TEST_COMPILE_CACHE");
  return folder == nullptr ? "" : folder;
}

}  // namespace warptune::profiling
