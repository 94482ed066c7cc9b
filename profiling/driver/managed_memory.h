// Memory that host and GPU access at one address. The driver moves its pages.
#pragma once

#include <cstddef>
#include <string>

#include "kernel_templates/buffer_memory.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Whether the pages of managed memory can move while the current GPU works (concurrent managed access). If
/// not, configurations that use managed memory are refused.
bool moves_managed_pages();

/// Managed memory with advice about its pages (CUDA driver API, cuMemAllocManaged and cuMemAdvise).
class ManagedMemory {
 public:
  ManagedMemory() = default;
  /// Allocates `bytes` bytes, and at least `guard_bytes` bytes before and after them, to which advice and
  /// residency do not apply. Without guards, it allocates exactly `bytes` bytes, but at least one. If they do
  /// not fit into the GPU's free memory, throws `base::MachineError` with the size and with `what`, the name
  /// of what needs it.
  ManagedMemory(std::size_t bytes, std::size_t guard_bytes, const std::string& what);

  /// The address of the bytes between the guards, for the GPU and for the host.
  CUdeviceptr data() const { return memory_.get() + lead_bytes_; }
  /// Gives the driver the advice of `pages`, and takes back earlier advice. Changes no contents.
  void advise(const kernel_templates::ManagedPages& pages);
  /// Brings all pages to `residency` of the last `advise`, after the work of the stream. It is the only
  /// place of the pages afterwards, except that a page that is mostly read may have a copy on the host while
  /// it resides on the GPU.
  void settle(CUstream stream) const;

 private:
  void advise(CUmem_advise advice, kernel_templates::PagePlace place) const;

  DeviceMemory memory_;
  std::size_t lead_bytes_ = 0;
  std::size_t bytes_ = 0;
  kernel_templates::ManagedPages pages_;  ///< The advice that the driver has.
};

/// Enqueues moving the pages of managed memory (CUDA driver API, cuMemPrefetchAsync).
void prefetch(CUdeviceptr data, std::size_t bytes, kernel_templates::PagePlace to, CUstream stream);

}  // namespace warptune::profiling::driver
