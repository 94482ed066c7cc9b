#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// In more waves, even a last wave that is almost empty costs at most a ninth of the time, too little for a
// fault.
constexpr double kMaxWaves = 8.0;

std::optional<Finding> check_tail(const Facts& facts) {
  const std::optional<double> known = facts.waves();
  if (!known || *known <= 1.0 || *known > kMaxWaves) return std::nullopt;
  const double waves = *known;
  const double empty_share = 1.0 - waves / std::ceil(waves);
  const double maximum = facts.value(metric::kSmCyclesActiveMax);
  const bool is_measured = facts.has(metric::kSmCyclesActive) && maximum > 0.0;
  const double idle = is_measured ? 1.0 - facts.value(metric::kSmCyclesActive) / maximum : empty_share;
  Finding finding = found(is_measured ? Severity::kFault : Severity::kHint,
                          fmt::format("{:.2f} waves of blocks: the last leaves SMs idle", waves),
                          facts.bounded(std::min(empty_share, idle), kComputeUnits),
                          "the empty part of the last wave, bounded by the measured idle cycles",
                          {{"waves", waves, std::nullopt, fmt::format("{:.2f} waves", waves)}});
  if (is_measured)
    finding.evidence.push_back(
        {"sm_idle_share", idle, std::nullopt,
         fmt::format("SMs idle for {:.0f} % of the time of the longest one", idle * 100.0)});
  return finding;
}

std::optional<double> target_of_tail(const Facts& facts) {
  const std::optional<double> waves = facts.waves();
  return waves > 0.0 ? std::optional<double>(1.0 - *waves / std::ceil(*waves)) : std::nullopt;
}

}  // namespace

Rule tail_rule() {
  Rule rule;
  rule.info = {
      .id = "tail",
      .trigger =
          "there are one to eight waves of blocks, the last of them partly empty, and SMs are idle meanwhile",
      .gain =
          "the smaller of 1 - waves / whole waves and the idle share of SM cycles (1 - mean / maximum cycles "
          "active). Without that counter it is a hint",
      .source =
          "Nsight Compute Profiling Guide, \"Launch Statistics\" (waves); CUDA C++ Best Practices Guide, "
          "\"Thread and Block Heuristics\"",
      .remedy =
          "Use a grid that is a multiple of the blocks resident at once: as many blocks as fit, looping over "
          "the work. Or use smaller blocks, so that the last wave costs less.",
      .limits = "Blocks of unequal length do not run in waves.",
  };
  rule.needs = {metric::kLaunch};
  rule.reads = {metric::kSmCyclesActive, metric::kSmCyclesActiveMax};
  rule.relieves = kComputeUnits;
  rule.check = check_tail;
  rule.target = {.label = "empty share of the waves", .value = target_of_tail, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
