#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// The counters of global loads or of global stores.
struct GlobalAccess {
  const char* name;                 ///< "Global loads".
  const char* sectors_per_request;  ///< 32-byte sectors that a warp's access touches.
  const char* bytes_of_sector;      ///< Of a sector's bytes those asked for, %.
  const char* sectors;              ///< All that these accesses touched.
};

/// Sectors that nobody asked for, and what they cost: their share of the sectors that pass L1, of the time
/// that memory has to do with.
std::optional<Finding> uncoalesced_finding(const Facts& facts, const GlobalAccess& access);

/// What it reads beside `sectors_per_request`.
std::vector<std::string_view> uncoalesced_reads(const GlobalAccess& access);

}  // namespace warptune::profiling::diagnosis
