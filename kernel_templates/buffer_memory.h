#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warptune::kernel_templates {

/// Where the memory of a buffer is.
enum class Memory {
  kDevice,
  kPinned,         ///< Page-locked host memory. GPUs can access it directly, and copies do not need the CPU.
  kPageable,       ///< Host memory as `malloc` gives it.
  kWriteCombined,  ///< Page-locked host memory that the CPU's caches leave out. The CPU reads it slowly.
  kManaged         ///< One address for host and GPU. The driver moves pages to where they are accessed.
};
/// `device`, `pinned`, `pageable`, `write_combined`, `managed`: in the order of `Memory`.
const std::vector<std::string>& memory_names();
std::string to_string(Memory memory);

/// Where pages of managed memory are.
enum class PagePlace { kDevice, kHost };
/// `device`, `host`: in the order of `PagePlace`.
const std::vector<std::string>& page_place_names();
std::string to_string(PagePlace place);
/// What an advice may name: the places, and after them `none`.
const std::vector<std::string>& advised_place_names();

/// What holds for the pages of a managed buffer in one configuration. The advice is that of the CUDA driver
/// API, cuMemAdvise.
struct ManagedPages {
  PagePlace residency = PagePlace::kDevice;  ///< Where a launch finds the pages.
  bool read_mostly = false;
  std::optional<PagePlace> preferred_location;  ///< No value means no advice.
  std::optional<PagePlace> accessed_by;         ///< No value means no advice.

  bool operator==(const ManagedPages&) const = default;
};

}  // namespace warptune::kernel_templates
