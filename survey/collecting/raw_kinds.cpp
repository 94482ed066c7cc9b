#include "survey/collecting/raw_kinds.h"

#include <cupti_activity.h>

namespace warptune::survey::collecting {

using records::CallKind;
using records::CopyDirection;
using records::MemoryKind;

CallKind kind_of(CallPurpose purpose) {
  switch (purpose) {
    case CallPurpose::kLaunch:
      return CallKind::kLaunch;
    case CallPurpose::kGraphLaunch:
      return CallKind::kGraphLaunch;
    case CallPurpose::kCopy:
      return CallKind::kCopy;
    case CallPurpose::kFill:
      return CallKind::kFill;
    case CallPurpose::kWait:
      return CallKind::kWait;
    case CallPurpose::kAllocation:
      return CallKind::kAllocation;
    case CallPurpose::kFree:
      return CallKind::kFree;
    case CallPurpose::kHostAllocation:
      return CallKind::kHostAllocation;
    case CallPurpose::kModuleLoad:
      return CallKind::kModuleLoad;
    case CallPurpose::kOther:
      break;
  }
  return CallKind::kOther;
}

CopyDirection direction_of(std::uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return CopyDirection::kHostToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return CopyDirection::kDeviceToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return CopyDirection::kDeviceToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return CopyDirection::kHostToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return CopyDirection::kPeerToPeer;
    default:
      return CopyDirection::kUnknown;
  }
}

MemoryKind memory_kind_of(std::uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return MemoryKind::kPageable;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return MemoryKind::kPinned;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
      return MemoryKind::kDevice;
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return MemoryKind::kArray;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
      return MemoryKind::kManaged;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return MemoryKind::kDeviceStatic;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return MemoryKind::kManagedStatic;
    default:
      return MemoryKind::kUnknown;
  }
}

}  // namespace warptune::survey::collecting
