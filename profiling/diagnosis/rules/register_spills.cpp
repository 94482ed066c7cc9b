#include "profiling/diagnosis/local_memory.h"

#include <fmt/format.h>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// The finding if loads and stores of spilled registers were not counted.
std::optional<Finding> uncounted_finding(const Facts& facts, std::optional<double> spilled) {
  const auto local = static_cast<double>(facts.resources().local_bytes);
  const double bytes = spilled.value_or(local);
  if (bytes <= 0.0) return std::nullopt;
  const char* metric = spilled ? model::own_metric::kSpillBytes : "local_bytes";
  const char* what = spilled ? "of registers per thread are spilled"
                             : "of local memory per thread: spilled registers or indexed arrays";
  return found(Severity::kHint,
               fmt::format("{:.0f} bytes {}; how often they are used was not counted", bytes, what), 0.0,
               "not estimated", {{metric, bytes, 0.0, fmt::format("{:.0f} bytes", bytes)}});
}

std::optional<Finding> check_register_spills(const Facts& facts) {
  const std::optional<double> known = facts.find(model::own_metric::kSpillBytes);
  const double spilled = known.value_or(0.0);
  if (!facts.has(metric::kLocalLoads) || !facts.has(metric::kLocalStores))
    return uncounted_finding(facts, known);
  if (spilled <= 0.0 || local_instructions(facts) <= 0.0) return std::nullopt;
  return local_memory_finding(
      facts, fmt::format("{:.0f} bytes of registers per thread are spilled", spilled),
      {{model::own_metric::kSpillBytes, spilled, 0.0, fmt::format("{:.0f} spilled bytes", spilled)}});
}

std::optional<double> target_of_register_spills(const Facts& facts) {
  return facts.find(model::own_metric::kSpillBytes);
}

}  // namespace

Rule register_spills_rule() {
  Rule rule;
  rule.info = {
      .id = "register_spills",
      .trigger =
          "the compiler spilled registers, and loads and stores of them are executed. If the loads and "
          "stores were not counted, the finding is a hint. If the compiler's report is missing, too, every "
          "kernel with local memory gets this hint",
      .gain =
          "the larger of two. One is the share of these loads and stores in the instructions x issue slots "
          "used. The other is their share in the sectors of L1 x memory time. Memory time is as in "
          "uncoalesced_loads",
      .source =
          "CUDA C++ Best Practices Guide, \"Local Memory\"; Nsight Compute Profiling Guide, \"Memory "
          "Tables\"",
      .remedy =
          "Allow more registers (fewer blocks in __launch_bounds__, a higher -maxrregcount), smaller tiles "
          "per thread, less unrolling.",
      .limits =
          "Without the compiler's report spills and indexed arrays cannot be distinguished, and local_array "
          "reports both.",
  };
  rule.needs = {metric::kLaunch};
  rule.reads = local_memory_reads(
      {model::own_metric::kSpillBytes, metric::kLocalLoads, metric::kLocalStores, metric::kInstructions});
  rule.check = check_register_spills;
  rule.target = {.label = "spilled bytes", .value = target_of_register_spills};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
