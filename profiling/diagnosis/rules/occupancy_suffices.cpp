#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kLowOccupancy = 0.5;

std::optional<Finding> check_occupancy_suffices(const Facts& facts) {
  const double occupancy = facts.theoretical_occupancy();
  const UnitUse busiest = facts.busiest();
  if (occupancy <= 0.0 || occupancy > kLowOccupancy || busiest.steady < kReached) return std::nullopt;
  return found(Severity::kLimit,
               fmt::format("Occupancy of {:.0f} % is enough: {}", occupancy * 100.0, use_text(busiest)), 0.0,
               "more warps would not help",
               {{"theoretical_occupancy", occupancy * 100.0, kLowOccupancy * 100.0,
                 fmt::format("occupancy {:.0f} %", occupancy * 100.0)},
                evidence_of(busiest)});
}

}  // namespace

Rule occupancy_suffices_rule() {
  Rule rule;
  rule.info = {
      .id = "occupancy_suffices",
      .trigger = "theoretical occupancy of at most 50 %, and a unit used at least 80 %",
      .gain = "none",
      .source = "V. Volkov, Better Performance at Lower Occupancy (2010)",
      .remedy = "There is nothing to do: more resident warps would wait for the same unit.",
      .limits = "Units whose counters are missing are not considered.",
  };
  rule.needs = {metric::kLaunch, metric::kIssueSlots};
  rule.check = check_occupancy_suffices;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
