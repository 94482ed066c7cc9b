#include "profiling/diagnosis/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiling/metrics.h"

namespace warptune::profiling::detail {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      dram_bound_rule(),
      excess_dram_traffic_rule(),
      uncoalesced_loads_rule(),
      uncoalesced_stores_rule(),
      shared_bank_conflicts_rule(),
      shared_memory_bound_rule(),
      l2_bound_rule(),
      atomic_contention_rule(),
      register_spills_rule(),
      local_array_rule(),
      shared_as_cache_rule(),
      occupancy_by_registers_rule(),
      occupancy_by_shared_memory_rule(),
      occupancy_by_block_size_rule(),
      occupancy_by_blocks_rule(),
      occupancy_suffices_rule(),
      short_blocks_rule(),
      uneven_work_rule(),
      partial_warp_rule(),
      divergence_rule(),
      predication_rule(),
      latency_bound_rule(),
      tail_rule(),
      small_grid_rule(),
      launch_bound_rule(),
      barrier_stalls_rule(),
      instruction_cache_rule(),
      compute_bound_rule(),
      double_precision_rule(),
      integer_division_rule(),
      transcendental_pipe_rule(),
      tensor_cores_idle_rule(),
  };
  return all;
}

namespace {

std::string number_text(double value, std::string_view unit) {
  if (unit == "byte") return fmt::format("{:.4g} MB", value / 1e6);
  if (unit == "%") return fmt::format("{:.1f} %", value);
  return std::abs(value) < 1e5 ? fmt::format("{:.1f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace

Finding found(Severity severity, std::string title, double gain, std::string gain_basis,
              std::vector<Evidence> evidence) {
  Finding finding;
  finding.severity = severity;
  finding.title = std::move(title);
  finding.gain = gain;
  finding.gain_basis = std::move(gain_basis);
  finding.evidence = std::move(evidence);
  return finding;
}

Evidence evidence_of(const Facts& facts, std::string_view metric, std::optional<double> threshold) {
  const auto catalogue = metric_catalogue();
  const auto known = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const MetricInfo& info) { return info.name == metric; });
  const double value = facts.value(metric);
  if (known == catalogue.end())
    return {std::string(metric), value, threshold, fmt::format("{} {}", metric, number_text(value, ""))};
  std::string text = fmt::format("{} {}", known->title, number_text(value, known->unit));
  return {std::string(metric), value, threshold, std::move(text)};
}

std::string use_text(const UnitUse& use) {
  return fmt::format("{} {:.0f} % used", to_string(use.unit), use.use * 100.0);
}

Evidence evidence_of(const UnitUse& use) {
  return {"busiest_unit", use.use * 100.0, std::nullopt, use_text(use)};
}

}  // namespace warptune::profiling::detail
