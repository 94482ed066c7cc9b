#include "tuner/session/counter_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "model/own_metrics.h"
#include "profiling/counters/metrics.h"
#include "tuner/gpus/device_choice.h"

namespace warptune::tuner::session {

namespace {

bool is_energy(const std::string& name) {
  return name == model::own_metric::kEnergyJ || name == model::own_metric::kPowerW;
}

// Throws if no GPU can have a metric of this name. If only this GPU lacks the metric, the GPU worker warns
// later.
void require_metric_name(const std::string& name, const std::string& text) {
  const std::span<const profiling::counters::MetricInfo> catalogue = profiling::counters::metric_catalogue();
  const bool known = is_energy(name) || std::any_of(catalogue.begin(), catalogue.end(),
                                                    [&](const profiling::counters::MetricInfo& metric) {
                                                      return metric.name == name;
                                                    });
  if (known || name.find('.') != std::string::npos) return;
  if (name == "core" || name == "none" || name == "full")
    throw base::InputError(fmt::format("--metrics {}: {} cannot be combined with other names", text, name));
  throw base::InputError(fmt::format(
      "--metrics {}: expected core, none, full or names such as dram__bytes.sum, found '{}'{}", text, name,
      base::did_you_mean(name, std::vector<std::string>{"core", "none", "full", model::own_metric::kEnergyJ,
                                                        model::own_metric::kPowerW})));
}

}  // namespace

CounterChoice CounterChoice::parse(const std::string& metrics, const std::string& count) {
  if (count != "contenders" && count != "all")
    throw base::InputError(fmt::format("--count {}: expected contenders or all", count));
  const bool all = count == "all";
  if (metrics == "core") return {Set::kCore, {}, all};
  if (metrics == "none") return {Set::kNone, {}, all};
  if (metrics == "full") return {Set::kFull, {}, all};
  CounterChoice choice{Set::kNamed, gpus::listed_items("metrics", metrics), all};
  for (const std::string& name : choice.names) require_metric_name(name, metrics);
  return choice;
}

void CounterChoice::apply(const model::Objective& objective, profiling::MeasuringOptions& measuring) const {
  const std::vector<std::string> needed = objective.counters();
  measuring.count = set != Set::kNone;
  measuring.count_all = all;
  measuring.measure_energy = objective.needs_energy();
  measuring.metrics.clear();
  if (set == Set::kNone) {
    if (needed.empty()) return;
    throw base::InputError(
        fmt::format("--metrics none: the counters are needed, because --objective {} reads {}",
                    objective.text(), needed.front()));
  }
  const auto add = [&](const std::string& name) {
    if (!base::contains(measuring.metrics, name)) measuring.metrics.push_back(name);
  };
  if (set == Set::kFull) measuring.metrics = profiling::counters::full_metrics();
  for (const std::string& name : names) {
    measuring.measure_energy = measuring.measure_energy || is_energy(name);
    if (!is_energy(name)) add(name);
  }
  if (set == Set::kCore) {
    const std::vector<std::string> core = profiling::counters::core_metrics();
    const bool in_core = std::all_of(needed.begin(), needed.end(),
                                     [&](const std::string& name) { return base::contains(core, name); });
    if (in_core) return;  // Without names, the GPU worker counts the core set.
    measuring.metrics = core;
  }
  for (const std::string& name : needed) add(name);
}

}  // namespace warptune::tuner::session
