#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "profiling/counters/metrics.h"
#include "tuner/commands/command.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands {

namespace {

struct MetricsOptions {
  std::optional<std::string> chip;  ///< CUPTI's name of a chip, e.g. GH100.
  bool json = false;
};

Options declare_metrics() {
  Options options(
      "metrics",
      "Lists the hardware counters that warptune knows. By default, tune reads the core set for every "
      "configuration.");
  options
      .value("chip", "NAME",
             "show which counters this chip lacks and how many passes the sets take, e.g. GH100")
      .common();
  options
      .example("metrics --chip GH100",
               "Lists the counters, those that this chip lacks, and the passes that the sets take.")
      .related({"profile", "devices"});
  return options;
}

std::optional<MetricsOptions> parse_metrics(const std::vector<std::string>& arguments) {
  Options options = declare_metrics();
  if (!options.parse(arguments)) return std::nullopt;
  return MetricsOptions{options.text("chip"), options.json()};
}

/// How a chip collects the two sets.
struct ChipPlan {
  std::string chip;
  profiling::counters::PassPlan core;
  profiling::counters::PassPlan full;

  bool lacks(const std::string& metric) const { return base::contains(full.unknown, metric); }
};

std::optional<ChipPlan> plan_of(const std::optional<std::string>& chip) {
  if (!chip) return std::nullopt;
  return ChipPlan{*chip, profiling::counters::plan_passes(*chip, profiling::counters::core_metrics()),
                  profiling::counters::plan_passes(*chip, profiling::counters::full_metrics())};
}

std::string set_of(const profiling::counters::MetricInfo& metric, bool in_full) {
  if (!metric.core) return "full";
  return in_full ? "core, full" : "core";
}

void print_plan(const std::optional<ChipPlan>& plan) {
  const std::vector<std::string> full = profiling::counters::full_metrics();
  text_output::TextTable table({"title", "metric", "unit", "set", "meaning"});
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue()) {
    const std::string name(metric.name);
    const std::string set =
        plan && plan->lacks(name) ? "not on " + plan->chip : set_of(metric, base::contains(full, name));
    table.add(
        {std::string(metric.title), name, std::string(metric.unit), set, std::string(metric.description)});
  }
  text_output::print_text("{}", table.text());
  if (plan)
    text_output::print_text("\n{}: core set in {}, full set in {}\n", plan->chip,
                            base::counted(plan->core.passes, "pass", "passes"), plan->full.passes);
}

void print_plan_as_json(const std::optional<ChipPlan>& plan) {
  const std::vector<std::string> full = profiling::counters::full_metrics();
  nlohmann::ordered_json report = json_output::json_head("metrics");
  report["chip"] = nullptr;
  if (plan) {
    report["chip"] = {
        {"chip", plan->chip}, {"core_passes", plan->core.passes}, {"full_passes", plan->full.passes}};
  }
  report["metrics"] = nlohmann::ordered_json::array();
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue()) {
    const std::string name(metric.name);
    const nlohmann::ordered_json unknown = nullptr;
    report["metrics"].push_back({{"metric", name},
                                 {"title", metric.title},
                                 {"unit", json_output::text_or_null(std::string(metric.unit))},
                                 {"core", metric.core},
                                 {"full", base::contains(full, name)},
                                 {"description", metric.description},
                                 {"available", plan ? nlohmann::ordered_json(!plan->lacks(name)) : unknown}});
  }
  text_output::print_out("{}\n", json_output::to_text(report));
}

int list_metrics(const MetricsOptions& options) {
  const std::optional<ChipPlan> plan = plan_of(options.chip);
  if (options.json) {
    print_plan_as_json(plan);
  } else {
    print_plan(plan);
  }
  return 0;
}

int run_metrics(const std::vector<std::string>& arguments) {
  const std::optional<MetricsOptions> options = parse_metrics(arguments);
  return options ? list_metrics(*options) : 0;
}

}  // namespace

Command metrics_command() {
  return {"metrics", "list the hardware counters and what they mean", run_metrics,
          [] { return declare_metrics().description(); }};
}

}  // namespace warptune::tuner::commands
