#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

/// The counters of global loads or of global stores.
struct GlobalAccess {
  const char* name;                 ///< "Global loads".
  const char* sectors_per_request;  ///< The 32-byte sectors that one access of a warp touches.
  /// The share of a sector's bytes that was asked for, in %.
  const char* bytes_of_sector;
  const char* sectors;         ///< All sectors that these accesses touched.
  const char* hits = nullptr;  ///< Those that L1 had. Null: none, as for stores.
};

/// Returns a finding if accesses touch more sectors than they need. Sectors that L1 has cost its cycles. The
/// others cost their share of the time in which memory may be the limit.
std::optional<Finding> uncoalesced_finding(const Facts& facts, const GlobalAccess& access);

/// Returns the metrics that the finding uses in addition to `sectors_per_request`.
std::vector<std::string_view> uncoalesced_reads(const GlobalAccess& access);

}  // namespace warptune::profiling::diagnosis
