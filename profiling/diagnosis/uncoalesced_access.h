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
  const char* hits = nullptr;  ///< The sectors that L1 had. Null for stores.
};

/// Returns a finding if accesses touch more sectors than they need. Sectors that L1 has cost cycles of L1.
/// The other sectors cost their share of the time in which memory may be the limit.
std::optional<Finding> uncoalesced_finding(const Facts& facts, const GlobalAccess& access);

/// Returns the metrics that the finding uses in addition to `sectors_per_request`.
std::vector<std::string_view> metrics_of_uncoalesced_rule(const GlobalAccess& access);

/// The sources of the rules uncoalesced_loads and uncoalesced_stores.
inline constexpr std::string_view kUncoalescedSource =
    "CUDA C++ Best Practices Guide, \"Coalesced Access to Global Memory\"; Nsight Compute Profiling "
    "Guide, \"Memory Tables\"";

/// The rule of one kind of access, without its texts.
template <const GlobalAccess& access>
Rule uncoalesced_rule() {
  Rule rule;
  rule.needs = {access.sectors_per_request};
  rule.relieves = kMemoryUnits;
  rule.reads = metrics_of_uncoalesced_rule(access);
  rule.check = [](const Facts& facts) { return uncoalesced_finding(facts, access); };
  rule.target.value = [](const Facts& facts) { return facts.find(access.sectors_per_request); };
  return rule;
}

}  // namespace warptune::profiling::diagnosis
