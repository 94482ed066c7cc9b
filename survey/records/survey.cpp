#include "survey/records/survey.h"

namespace warptune::survey::records {

std::string_view to_string(CopyDirection direction) {
  static constexpr std::string_view kNames[] = {"unknown",          "host to device", "device to host",
                                                "device to device", "host to host",   "peer to peer"};
  return kNames[static_cast<std::size_t>(direction)];
}

std::string_view to_string(MemoryKind kind) {
  static constexpr std::string_view kNames[] = {"unknown", "pageable", "pinned",        "device",
                                                "array",   "managed",  "device static", "managed static"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(CallKind kind) {
  static constexpr std::string_view kNames[] = {"launch",      "graph launch", "copy", "fill",
                                                "wait",        "allocation",   "free", "host allocation",
                                                "module load", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace warptune::survey::records
