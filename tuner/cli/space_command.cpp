#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "kernel_templates/library.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/detail/json_forms.h"
#include "tuner/process_evaluator.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

namespace {

constexpr std::size_t kRejectionSamples = 20000;

std::string values_text(const search::Parameter& parameter) {
  std::string text;
  for (const search::Value& value : parameter.values)
    text += (text.empty() ? "" : " ") + search::to_literal(value);
  return text;
}

// Draws configurations; the same seed draws the same.
std::vector<search::NamedValues> draw(const search::Space& space, std::uint64_t count, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<search::NamedValues> drawn;
  for (std::uint64_t i = 0; i < count; ++i) drawn.push_back(space.values_of(space.sample(random)));
  return drawn;
}

// Checks one configuration given as NAME=VALUE; says what it breaks. The exit code.
int check(const search::Space& space, const search::NamedValues& values) {
  const base::Result<search::Configuration> configuration = space.configuration_of(values);
  if (!configuration) throw base::InputError("--check: " + configuration.error());
  if (const std::optional<std::string> broken = space.broken_constraint(*configuration)) {
    fmt::print("invalid: {}\n", *broken);
    return static_cast<int>(base::ExitCode::kWorkFailed);
  }
  fmt::print("valid: configuration {} of {}\n", *space.index_of(*configuration), space.size());
  return 0;
}

void print_text(const kernel_templates::KernelInstance& instance, double build_ms) {
  const search::Space& space = instance.space();
  fmt::print("{} {}\n", instance.definition().name, search::to_text(instance.problem()));
  fmt::print("{} valid of {} ({:.3g} %), found in {:.2f} ms; {} nodes, {:.1f} KiB\n\n", space.size(),
             space.cartesian_size(),
             100.0 * static_cast<double>(space.size()) / static_cast<double>(space.cartesian_size()),
             build_ms, space.node_count(), static_cast<double>(space.memory_bytes()) / 1024.0);
  TextTable parameters({"parameter", "values", "default", "description"});
  for (const search::Parameter& parameter : space.parameters()) {
    const search::Value* chosen = search::find(instance.default_configuration(), parameter.name);
    parameters.add({parameter.name, values_text(parameter), chosen == nullptr ? "" : search::to_text(*chosen),
                    parameter.description});
  }
  fmt::print("{}", parameters.text());
  if (space.constraints().empty()) return;
  const std::vector<std::uint64_t> rejections = space.count_rejections(kRejectionSamples, 1);
  TextTable constraints({"constraint", "rejects", "reason"}, {1});
  for (std::size_t i = 0; i < rejections.size(); ++i) {
    constraints.add({space.constraints()[i].expression.text(),
                     fmt::format("{:.1f} %", 100.0 * static_cast<double>(rejections[i]) /
                                                 static_cast<double>(kRejectionSamples)),
                     space.constraints()[i].reason});
  }
  fmt::print("\n{}", constraints.text());
}

void print_json(const kernel_templates::KernelInstance& instance, double build_ms) {
  const search::Space& space = instance.space();
  nlohmann::ordered_json report;
  report["kernel"] = instance.definition().name;
  report["problem"] = detail::to_ordered_json(instance.problem());
  report["valid"] = space.size();
  report["cartesian"] = space.cartesian_size();
  report["build_ms"] = build_ms;
  report["memory_bytes"] = space.memory_bytes();
  report["parameters"] = nlohmann::ordered_json::array();
  for (const search::Parameter& parameter : space.parameters()) {
    nlohmann::ordered_json row = {{"name", parameter.name}, {"values", nlohmann::ordered_json::array()}};
    for (const search::Value& value : parameter.values)
      row["values"].push_back(nlohmann::ordered_json(detail::to_json(value)));
    report["parameters"].push_back(std::move(row));
  }
  std::cout << detail::to_text(report) << "\n";
}

void print_configurations(const std::vector<search::NamedValues>& configurations, bool json) {
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const search::NamedValues& values : configurations) {
    if (json) {
      report.push_back(detail::to_ordered_json(values));
    } else {
      fmt::print("{}\n", search::to_text(values));
    }
  }
  if (json) std::cout << detail::to_text(report) << "\n";
}

}  // namespace

int run_space(const std::vector<std::string>& arguments) {
  Options options("space KERNEL",
                  "Counts the configurations of KERNEL and shows what its constraints reject.");
  options.positional("KERNEL", 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("sample", "N", "print N configurations drawn at random instead")
      .value("list", "N", "print the first N configurations instead")
      .values("check", "NAME=VALUE", "say whether a configuration is valid instead; one for each parameter")
      .value("seed", "N", "seed of --sample", "1")
      .common();
  if (!options.parse(arguments)) return 0;
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(options.required("KERNEL"));
  const profiling::GpuCensus census = find_gpus_in_worker();
  const auto start = std::chrono::steady_clock::now();
  const kernel_templates::KernelInstance instance(
      definition, options.assignments("size"),
      census.gpus.empty() ? search::fictional_gpu() : census.gpus.front());
  const double build_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const search::Space& space = instance.space();
  if (!options.texts("check").empty()) return check(space, options.assignments("check"));
  if (const std::optional<std::uint64_t> count = options.number("sample")) {
    print_configurations(draw(space, *count, options.number("seed").value_or(1)), options.json());
    return 0;
  }
  if (const std::optional<std::uint64_t> count = options.number("list")) {
    std::vector<search::NamedValues> first;
    for (std::uint64_t i = 0; i < std::min(*count, space.size()); ++i)
      first.push_back(space.values_of(space.at(i)));
    print_configurations(first, options.json());
    return 0;
  }
  if (options.json()) {
    print_json(instance, build_ms);
  } else {
    print_text(instance, build_ms);
  }
  return 0;
}

}  // namespace warptune::tuner::cli
