#include "kernel_templates/compiling/precompiled_headers.h"

#include <algorithm>
#include <atomic>

namespace warptune::kernel_templates::compiling {

namespace {

constexpr std::size_t kMaxHeapBytes = std::size_t{1} << 30;
std::atomic<bool> given_up = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

bool uses_pch(const std::vector<std::string>& options) {
  return std::find(options.begin(), options.end(), kPchOption) != options.end();
}

std::vector<std::string> pch_options(std::vector<std::string> options) {
  if (!uses_pch(options)) return options;
  if (given_up || Nvrtc::get().pch_status == nullptr) {
    std::erase(options, kPchOption);
  } else {
    options.emplace_back("-pch-messages=false");
    // NVRTC warns of a #line after the headers, but precompiles them nevertheless. It also warns of headers
    // that it does not use because they were precompiled with other options.
    options.emplace_back("-diag-suppress=20283,629");
  }
  return options;
}

void grow_pch_heap_if_needed(const Nvrtc& nvrtc, nvrtcProgram program,
                             const std::vector<std::string>& options) {
  if (!uses_pch(options) || given_up) return;
  const nvrtcResult status = nvrtc.pch_status(program);
  if (status == NVRTC_SUCCESS || status == NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED) return;
  std::size_t required = 0;
  std::size_t size = 0;
  if (status == NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED &&
      nvrtc.pch_heap_size_required(program, &required) == NVRTC_SUCCESS &&
      nvrtc.pch_heap_size(&size) == NVRTC_SUCCESS && required < kMaxHeapBytes && size < kMaxHeapBytes) {
    const std::size_t larger = std::min(kMaxHeapBytes, std::max(2 * size, required + required / 2));
    if (nvrtc.set_pch_heap_size(larger) == NVRTC_SUCCESS) return;
  }
  given_up = true;
}

}  // namespace warptune::kernel_templates::compiling
