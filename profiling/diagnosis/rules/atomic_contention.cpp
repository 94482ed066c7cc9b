#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr const char* kMean = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kMaximum = "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed";
constexpr double kMinBusyShare = 0.3;
// Each address belongs to one slice of L2, so many addresses use all slices equally.
constexpr double kMaxRatioWhenSpread = 2.0;

std::optional<Finding> check_atomic_contention(const Facts& facts) {
  const double mean = facts.value(kMean) / 100.0;
  const double maximum = facts.value(kMaximum) / 100.0;
  if (maximum < kMinBusyShare) return std::nullopt;
  const bool few_places = maximum > kMaxRatioWhenSpread * mean;
  return found(
      Severity::kFault,
      fmt::format("Atomics {}: the busiest slice of L2 is {:.0f} % busy with them, the mean {:.0f} %",
                  few_places ? "concentrate on few addresses" : "keep L2 busy", maximum * 100.0,
                  mean * 100.0),
      facts.bounded(maximum, {Unit::kL2}), "the time in which that slice works on atomics",
      {evidence_of(facts, kMaximum, kMinBusyShare * 100.0), evidence_of(facts, kMean)});
}

std::optional<double> target_of_atomic_contention(const Facts& facts) {
  const std::optional<double> maximum = facts.find(kMaximum);
  return maximum ? std::optional<double>(*maximum / 100.0) : std::nullopt;
}

}  // namespace

Rule atomic_contention_rule() {
  Rule rule;
  rule.info = {
      .id = "atomic_contention",
      .trigger = "global atomics keep a slice of L2 at least 30 % busy",
      .gain = "busy share of the busiest slice, bounded by the busiest unit except for L2",
      .source =
          "CUDA C++ Best Practices Guide, \"Atomic\" operations; Nsight Compute Profiling Guide, \"Memory "
          "Tables\", L2",
      .remedy =
          "Add up in registers, by warp shuffles and in shared memory first. Use one atomic per block. "
          "Spread counters over copies.",
      .limits =
          "Atomics of one warp on the same address are merged before they are counted. Atomics that are "
          "spread evenly count, too.",
  };
  rule.needs = {kMean, kMaximum};
  rule.check = check_atomic_contention;
  rule.target = {.label = "busy with atomics", .value = target_of_atomic_contention, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
