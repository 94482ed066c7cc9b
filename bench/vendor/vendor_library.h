#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/shared_library.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::bench::vendor {

/// Loads one of NVIDIA's libraries. Throws `base::MachineError` with its name if it is missing.
inline base::SharedLibrary load_vendor_library(const std::string& soname) {
  return {{soname},
          base::cuda_library_folders(),
          fmt::format("install it, or name its folder in LD_LIBRARY_PATH; rows that need {} are skipped",
                      soname)};
}

/// Device memory that is freed with the last call that captures it.
inline std::shared_ptr<profiling::driver::DeviceMemory> shared_memory(std::size_t bytes,
                                                                      const std::string& what) {
  return std::make_shared<profiling::driver::DeviceMemory>(profiling::driver::allocate(bytes, what));
}

inline void* pointer_of(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace warptune::bench::vendor

// Declare and load the functions of a library. The macros of its header replace names by versioned ones.
#define WARPTUNE_TEXT_OF(name) #name
#define WARPTUNE_DECLARE_FUNCTION(name) \
  decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
#define WARPTUNE_LOAD_FUNCTION(symbol) \
  api.symbol = library.function<std::remove_pointer_t<decltype(api.symbol)>>(WARPTUNE_TEXT_OF(symbol));
