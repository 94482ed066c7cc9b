#include "survey/injected/call_table.h"

namespace warptune::survey::injected {

namespace {

using collecting::CallPurpose;

// A name without `cuda` or `cu`. One that ends with `*` stands for all names that begin so. The first row
// that matches counts.
struct Row {
  std::string_view name;
  CallPurpose purpose;
};
constexpr Row kRows[] = {
    {"LaunchKernel", CallPurpose::kLaunch},
    {"LaunchKernelEx", CallPurpose::kLaunch},
    {"LaunchKernelExC", CallPurpose::kLaunch},
    {"LaunchCooperativeKernel*", CallPurpose::kLaunch},
    {"Launch", CallPurpose::kLaunch},
    {"LaunchGrid*", CallPurpose::kLaunch},
    {"LaunchHostFunc", CallPurpose::kOther},
    {"GraphLaunch", CallPurpose::kGraphLaunch},
    {"GraphInstantiate*", CallPurpose::kOther},
    {"GraphUpload", CallPurpose::kOther},
    {"Memcpy*", CallPurpose::kCopy},
    {"MemPrefetch*", CallPurpose::kCopy},
    {"MemDiscardAndPrefetch*", CallPurpose::kCopy},
    {"Memset*", CallPurpose::kFill},
    {"DeviceSynchronize", CallPurpose::kWait},
    {"ThreadSynchronize", CallPurpose::kWait},
    {"CtxSynchronize", CallPurpose::kWait},
    {"StreamSynchronize", CallPurpose::kWait},
    {"EventSynchronize", CallPurpose::kWait},
    {"MallocHost", CallPurpose::kHostAllocation},
    {"HostAlloc", CallPurpose::kHostAllocation},
    {"HostRegister", CallPurpose::kHostAllocation},
    {"HostUnregister", CallPurpose::kHostAllocation},
    {"FreeHost", CallPurpose::kHostAllocation},
    {"MemAllocHost", CallPurpose::kHostAllocation},
    {"MemHostAlloc", CallPurpose::kHostAllocation},
    {"MemHostRegister", CallPurpose::kHostAllocation},
    {"MemHostUnregister", CallPurpose::kHostAllocation},
    {"MemFreeHost", CallPurpose::kHostAllocation},
    {"Malloc*", CallPurpose::kAllocation},
    {"MemAlloc*", CallPurpose::kAllocation},
    {"MemCreate", CallPurpose::kAllocation},
    {"MemMap", CallPurpose::kAllocation},
    {"ArrayCreate", CallPurpose::kAllocation},
    {"Array3DCreate", CallPurpose::kAllocation},
    {"MipmappedArrayCreate", CallPurpose::kAllocation},
    {"Free*", CallPurpose::kFree},
    {"MemFree*", CallPurpose::kFree},
    {"MemUnmap", CallPurpose::kFree},
    {"MemRelease", CallPurpose::kFree},
    {"ArrayDestroy", CallPurpose::kFree},
    {"MipmappedArrayDestroy", CallPurpose::kFree},
    {"ModuleLoad", CallPurpose::kModuleLoad},
    {"ModuleLoadData*", CallPurpose::kModuleLoad},
    {"ModuleLoadFatBinary", CallPurpose::kModuleLoad},
    {"LibraryLoad*", CallPurpose::kModuleLoad},
    {"LinkAdd*", CallPurpose::kModuleLoad},
    {"LinkComplete", CallPurpose::kModuleLoad},
    {"InitModule", CallPurpose::kModuleLoad},
    {"DevicePrimaryCtxRetain", CallPurpose::kOther},
    {"CtxCreate", CallPurpose::kOther},
    {"CtxDestroy", CallPurpose::kOther},
    {"DeviceReset", CallPurpose::kOther},
    {"StreamCreate*", CallPurpose::kOther},
    {"StreamDestroy", CallPurpose::kOther},
};

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

std::string_view plain_call_name(std::string_view name) {
  while (name.starts_with('_')) name.remove_prefix(1);
  return name.substr(0, name.find('_'));
}

std::optional<CallPurpose> purpose_of_call(std::string_view plain_name) {
  for (const std::string_view prefix : {"cuda", "cu64", "cu"}) {
    if (!plain_name.starts_with(prefix)) continue;
    const std::string_view name = plain_name.substr(prefix.size());
    for (const Row& row : kRows) {
      if (matches(name, row.name)) return row.purpose;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace warptune::survey::injected
