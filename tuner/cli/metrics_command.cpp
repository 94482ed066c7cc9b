#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "profiling/metrics.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/detail/json_forms.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

namespace {

std::string set_of(const profiling::MetricInfo& metric, bool in_full) {
  if (!metric.core) return "full";
  return in_full ? "core, full" : "core";
}

}  // namespace

int run_metrics(const std::vector<std::string>& arguments) {
  Options options("metrics",
                  "Lists the hardware counters that warptune knows; those of the core set are read of every "
                  "configuration.");
  options.value("chip", "NAME", "say what this chip lacks and how many passes the sets take, e.g. GH100")
      .common();
  if (!options.parse(arguments)) return 0;
  profiling::PassPlan core;
  profiling::PassPlan every;
  const std::optional<std::string> chip = options.text("chip");
  if (chip) {
    core = profiling::plan_passes(*chip, profiling::core_metrics());
    every = profiling::plan_passes(*chip, profiling::full_metrics());
  }
  const std::vector<std::string> full = profiling::full_metrics();
  const auto contains = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto lacks = [&](const std::string& name) { return contains(every.unknown, name); };
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  TextTable table({"title", "metric", "unit", "set", "meaning"});
  for (const profiling::MetricInfo& metric : profiling::metric_catalogue()) {
    const std::string name(metric.name);
    const std::string set = lacks(name) ? "not on " + *chip : set_of(metric, contains(full, name));
    table.add(
        {std::string(metric.title), name, std::string(metric.unit), set, std::string(metric.description)});
    report.push_back({{"metric", name},
                      {"title", metric.title},
                      {"unit", metric.unit},
                      {"core", metric.core},
                      {"full", contains(full, name)},
                      {"description", metric.description}});
    if (chip) report.back()["available"] = !lacks(name);
  }
  if (options.json()) {
    std::cout << detail::to_text(report) << "\n";
    return 0;
  }
  fmt::print("{}", table.text());
  if (chip)
    fmt::print("\n{}: core set in {} pass{}, full set in {}\n", *chip, core.passes,
               core.passes == 1 ? "" : "es", every.passes);
  return 0;
}

}  // namespace warptune::tuner::cli
