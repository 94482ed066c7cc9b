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

/// One of NVIDIA's libraries, loaded when first asked for. Throws `base::MachineError` naming it when it is
/// not there.
inline base::SharedLibrary load_vendor_library(const std::string& soname) {
  return {{soname},
          base::cuda_library_folders(),
          fmt::format("install it, or name its folder in LD_LIBRARY_PATH; rows that need {} are skipped",
                      soname)};
}

/// Device memory that lives as long as the call that captures it.
inline std::shared_ptr<profiling::driver::DeviceMemory> shared_memory(std::size_t bytes,
                                                                      const std::string& what) {
  return std::make_shared<profiling::driver::DeviceMemory>(profiling::driver::allocate(bytes, what));
}

inline void* pointer_of(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace warptune::bench::vendor

// Declares and loads the functions of a library, whose header's macros turn the names into versions.
#define WARPTUNE_TEXT_OF(name) #name
#define WARPTUNE_DECLARE_FUNCTION(name) \
  decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
#define WARPTUNE_LOAD_FUNCTION(symbol) \
  api.symbol = library.function<std::remove_pointer_t<decltype(api.symbol)>>(WARPTUNE_TEXT_OF(symbol));
