// Keeps the places of managed pages defined.
//
// A page moves when it is first accessed, and stays. So the second launch of a kernel would find other pages
// than the first. Before each launch, `settle` moves the pages to where the definition says that a launch
// finds them.
//
// Pages that are mostly read are copied, not moved: after a launch that read a page of the host, both have
// it, and moving it to the host changes nothing. Taking the advice back drops one of the copies (CUDA driver
// API, CU_MEM_ADVISE_UNSET_READ_MOSTLY). So `settle` takes it back, moves the pages, and gives it again.
#include "profiling/driver/managed_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace warptune::profiling::driver {

using kernel_templates::ManagedPages;
using kernel_templates::PagePlace;

namespace {

// The driver manages pages in blocks of this size. Each buffer has its blocks for itself, so that it does not
// move pages of another one. It begins at the start of a block, as a large allocation of a program does.
constexpr std::size_t kBlockBytes = std::size_t{2} << 20U;

std::size_t whole_blocks(std::size_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes; }

CUmemLocation location_of(PagePlace place) {
  if (place == PagePlace::kHost) return {CU_MEM_LOCATION_TYPE_HOST, 0};
  CUdevice device = 0;
  WARPTUNE_CUDA(cuCtxGetDevice(&device));
  return {CU_MEM_LOCATION_TYPE_DEVICE, device};
}

}  // namespace

bool moves_managed_pages() {
  CUdevice device = 0;
  int value = 0;
  WARPTUNE_CUDA(cuCtxGetDevice(&device));
  WARPTUNE_CUDA(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device));
  return value != 0;
}

ManagedMemory::ManagedMemory(std::size_t bytes, std::size_t guard_bytes, const std::string& what)
    : lead_bytes_(whole_blocks(guard_bytes)), bytes_(bytes) {
  const std::size_t needed =
      guard_bytes > 0 ? lead_bytes_ + whole_blocks(bytes + guard_bytes) : std::max<std::size_t>(bytes, 1);
  // The driver also allocates what does not fit. Then launches would be timed while pages are evicted.
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  WARPTUNE_CUDA(cuMemGetInfo(&free_bytes, &total_bytes));
  if (needed > free_bytes) {
    throw base::MachineError(fmt::format("{} needs {} bytes of managed memory, {} of {} are free on the GPU",
                                         what, needed, free_bytes, total_bytes),
                             "choose a smaller problem or free the GPU");
  }
  const CUresult code = cuda().cuMemAllocManaged(memory_.out(), needed, CU_MEM_ATTACH_GLOBAL);
  if (code == CUDA_ERROR_OUT_OF_MEMORY)
    throw base::MachineError(fmt::format("{} needs {} bytes of managed memory", what, needed), "");
  check_cuda(code, "cuMemAllocManaged");
}

void ManagedMemory::advise(CUmem_advise advice, PagePlace place) const {
  WARPTUNE_CUDA(cuMemAdvise(data(), bytes_, advice, location_of(place)));
}

void ManagedMemory::advise(const ManagedPages& pages) {
  if (pages.read_mostly != pages_.read_mostly)
    advise(pages.read_mostly ? CU_MEM_ADVISE_SET_READ_MOSTLY : CU_MEM_ADVISE_UNSET_READ_MOSTLY,
           PagePlace::kDevice);
  const auto change = [&](const std::optional<PagePlace>& before, const std::optional<PagePlace>& after,
                          CUmem_advise set, CUmem_advise unset) {
    if (before == after) return;
    if (before) advise(unset, *before);
    if (after) advise(set, *after);
  };
  change(pages_.preferred_location, pages.preferred_location, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
         CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION);
  change(pages_.accessed_by, pages.accessed_by, CU_MEM_ADVISE_SET_ACCESSED_BY,
         CU_MEM_ADVISE_UNSET_ACCESSED_BY);
  pages_ = pages;
}

void ManagedMemory::settle(CUstream stream) const {
  const bool has_copies = pages_.read_mostly && pages_.residency == PagePlace::kHost;
  if (has_copies) {
    WARPTUNE_CUDA(cuStreamSynchronize(stream));
    advise(CU_MEM_ADVISE_UNSET_READ_MOSTLY, PagePlace::kDevice);
  }
  prefetch(data(), bytes_, pages_.residency, stream);
  if (has_copies) {
    WARPTUNE_CUDA(cuStreamSynchronize(stream));
    advise(CU_MEM_ADVISE_SET_READ_MOSTLY, PagePlace::kDevice);
  }
}

void prefetch(CUdeviceptr data, std::size_t bytes, PagePlace to, CUstream stream) {
  constexpr unsigned kNoFlags = 0;
  WARPTUNE_CUDA(cuMemPrefetchAsync(data, bytes, location_of(to), kNoFlags, stream));
}

}  // namespace warptune::profiling::driver
