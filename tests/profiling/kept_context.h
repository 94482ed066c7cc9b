#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "kernel_templates/compiler.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/helper_program.h"
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

/// Returns the folder that keeps the compiled kernels of all tests, from the variable
/// `WARPTUNE_TEST_COMPILE_CACHE`. Empty: each runner compiles them again.
inline std::filesystem::path test_compile_cache() {
  const char* folder = std::getenv("WARPTUNE_TEST_COMPILE_CACHE");
  return folder == nullptr ? "" : folder;
}

/// Compiles a program, or takes it from the folder of `test_compile_cache`.
inline model::Outcome<kernel_templates::CompiledKernel> compile_for_test(
    const kernel_templates::CompileRequest& request) {
  return driver::compile_cached(request, test_compile_cache());
}

}  // namespace warptune::profiling
