#include "tuner/commands/space_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "search/strategy.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/knowledge/usual_gpu.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands {

namespace {

// Number of random combinations of values, from which the share that each constraint rejects is estimated.
constexpr std::size_t kRejectionSamples = 20000;

std::string values_text(const model::Parameter& parameter) {
  std::string text;
  for (const model::Value& value : parameter.values)
    text += (text.empty() ? "" : " ") + model::to_literal(value);
  return text;
}

// Draws different configurations. The same seed draws the same ones.
std::vector<model::NamedValues> draw(const model::Space& space, std::uint64_t count, std::uint64_t seed) {
  search::StrategyOptions options;
  options.seed = seed;
  const std::unique_ptr<search::Strategy> random = search::make_strategy("random", space, options);
  std::vector<model::NamedValues> drawn;
  for (const model::Configuration& configuration : random->ask(count))
    drawn.push_back(space.values_of(configuration));
  return drawn;
}

std::vector<model::NamedValues> first(const model::Space& space, std::uint64_t count) {
  std::vector<model::NamedValues> listed;
  space.for_each([&](const model::Configuration& configuration) {
    if (listed.size() < count) listed.push_back(space.values_of(configuration));
    return listed.size() < count;
  });
  return listed;
}

// The beginning of each JSON output about a space.
nlohmann::ordered_json space_head(std::string_view name, const kernel_templates::KernelInstance& instance) {
  nlohmann::ordered_json report = json_output::json_head(name);
  report["kernel"] = instance.definition().name;
  report["kernel_hash"] = instance.definition().hash;
  report["problem"] = json_output::values_json(instance.problem());
  return report;
}

// Checks one configuration and prints all constraints that it breaks. Returns the exit code.
int check(const kernel_templates::KernelInstance& instance, const model::NamedValues& values, bool json) {
  const model::Space& space = instance.space();
  const base::Result<model::Configuration> configuration = space.configuration_of(values);
  if (!configuration) throw base::InputError("--check: " + configuration.error());
  const std::vector<std::string> broken = space.broken_constraints(*configuration);
  const std::optional<std::uint64_t> index = space.index_of(*configuration);
  if (json) {
    nlohmann::ordered_json report = space_head("space-check", instance);
    report["configuration"] = json_output::values_json(values);
    report["valid"] = broken.empty();
    report["broken"] = broken;
    report["index"] = json_output::value_or_null(index);
    text_output::print_out("{}\n", json_output::to_text(report));
  } else if (broken.empty()) {
    text_output::print_text("valid: configuration {} of {}\n", *index, space.size());
  } else {
    for (const std::string& why : broken) text_output::print_text("invalid: {}\n", why);
  }
  return static_cast<int>(broken.empty() ? base::ExitCode::kDone : base::ExitCode::kWorkFailed);
}

// The number of combinations of values, before constraints.
double product_of(const model::Space& space) {
  double product = 1.0;
  for (const model::Parameter& parameter : space.parameters())
    product *= static_cast<double>(parameter.values.size());
  return product;
}

// The number of configurations. An estimate is marked by "about". A number that needs more than 64 bits is
// rounded.
std::string count_text(const model::Space& space) {
  if (!space.is_exact()) return fmt::format("about {:.3g}", space.estimated_size());
  return space.size() == UINT64_MAX ? fmt::format("{:.6g}", space.estimated_size())
                                    : fmt::format("{}", space.size());
}

std::string product_text(const model::Space& space) {
  return space.cartesian_size() == UINT64_MAX ? fmt::format("{:.6g}", product_of(space))
                                              : fmt::format("{}", space.cartesian_size());
}

bool is_left_out(const model::Space& space, std::size_t constraint) {
  const std::vector<std::size_t>& left_out = space.left_out();
  return std::find(left_out.begin(), left_out.end(), constraint) != left_out.end();
}

std::vector<double> rejected_shares(const model::Space& space) {
  std::vector<double> shares;
  for (const std::uint64_t count : space.count_rejections(kRejectionSamples, 1))
    shares.push_back(static_cast<double>(count) / static_cast<double>(kRejectionSamples));
  return shares;
}

void print_space(const kernel_templates::KernelInstance& instance) {
  const model::Space& space = instance.space();
  text_output::print_text("{} {}\n", instance.definition().name, model::to_text(instance.problem()));
  text_output::print_text(
      "{} valid of {} ({:.3g} %), found in {:.2f} ms; decision diagrams of {} nodes, {:.1f} KiB\n",
      count_text(space), product_text(space), 100.0 * space.estimated_size() / product_of(space),
      space.build_ms(), space.node_count(), static_cast<double>(space.memory_bytes()) / 1024.0);
  if (!space.is_exact())
    text_output::print_text(
        "constraints marked * were too costly to solve: they are checked for one configuration at a time\n");
  text_output::print_text("\n");
  text_output::TextTable parameters({"parameter", "values", "default", "description"});
  for (const model::Parameter& parameter : space.parameters()) {
    const model::Value* chosen = model::find(instance.default_configuration(), parameter.name);
    parameters.add({parameter.name, values_text(parameter), chosen == nullptr ? "" : model::to_text(*chosen),
                    parameter.description});
  }
  text_output::print_text("{}", parameters.text());
  if (space.constraints().empty()) return;
  const std::vector<double> rejected = rejected_shares(space);
  text_output::TextTable constraints({"constraint", "rejects", "reason"}, {1});
  for (std::size_t c = 0; c < rejected.size(); ++c) {
    constraints.add({(is_left_out(space, c) ? "* " : "") + space.constraints()[c].expression.text(),
                     fmt::format("{:.1f} %", 100.0 * rejected[c]), space.constraints()[c].reason});
  }
  text_output::print_text("\n{}", constraints.text());
}

void print_space_as_json(const kernel_templates::KernelInstance& instance) {
  const model::Space& space = instance.space();
  nlohmann::ordered_json report = space_head("space", instance);
  report["space_size"] = space.is_exact() ? nlohmann::ordered_json(space.size())
                                          : nlohmann::ordered_json(std::round(space.estimated_size()));
  report["exact"] = space.is_exact();
  report["cartesian_size"] = space.cartesian_size();
  report["valid_share"] = space.estimated_size() / product_of(space);
  report["build_ms"] = space.build_ms();
  report["node_count"] = space.node_count();
  report["memory_bytes"] = space.memory_bytes();
  report["parameters"] = nlohmann::ordered_json::array();
  for (const model::Parameter& parameter : space.parameters()) {
    report["parameters"].push_back(json_output::parameter_json(
        parameter, model::find(instance.default_configuration(), parameter.name)));
  }
  report["constraints"] = nlohmann::ordered_json::array();
  const std::vector<double> rejected = rejected_shares(space);
  for (std::size_t c = 0; c < rejected.size(); ++c) {
    const model::Constraint& constraint = space.constraints()[c];
    report["constraints"].push_back({{"expression", constraint.expression.text()},
                                     {"reason", json_output::text_or_null(constraint.reason)},
                                     {"rejected_share", rejected[c]},
                                     {"solved", !is_left_out(space, c)}});
  }
  text_output::print_out("{}\n", json_output::to_text(report));
}

void print_configurations(const kernel_templates::KernelInstance& instance,
                          const std::vector<model::NamedValues>& configurations, bool json) {
  if (!json) {
    for (const model::NamedValues& values : configurations)
      text_output::print_text("{}\n", model::to_text(values));
    return;
  }
  nlohmann::ordered_json report = space_head("space-list", instance);
  report["configurations"] = nlohmann::ordered_json::array();
  for (const model::NamedValues& values : configurations)
    report["configurations"].push_back(json_output::values_json(values));
  text_output::print_out("{}\n", json_output::to_text(report));
}

int show_space(const SpaceOptions& options) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(options.kernel, options.permissions);
  kernel_templates::log_warnings_of(definition);
  const kernel_templates::KernelInstance instance(
      definition, options.sizes, knowledge::usual_gpu(gpus::list_local_gpus, gpus::recognise_local_gpu));
  const model::Space& space = instance.space();
  if (options.check) return check(instance, *options.check, options.json);
  if (options.sample) {
    print_configurations(instance, draw(space, *options.sample, options.seed), options.json);
  } else if (options.list) {
    print_configurations(instance, first(space, *options.list), options.json);
  } else if (options.json) {
    print_space_as_json(instance);
  } else {
    print_space(instance);
  }
  return 0;
}

Options declare_space() {
  Options options("space KERNEL",
                  "Counts the configurations of KERNEL and shows what its constraints reject.");
  declare_kernel(options, 1, 1);
  declare_sizes(options);
  declare_permissions(options)
      .value("sample", "N", "instead print N different configurations, drawn at random")
      .value("list", "N", "instead print the first N configurations")
      .values("check", "NAME=VALUE",
              "instead say whether a configuration is valid; give one for each parameter")
      .value("seed", "N", "seed of --sample", "1")
      .common();
  options
      .example("space sgemm --size M=64 --size N=64 --size K=64",
               "Counts the configurations for a size and shows what each constraint rejects.")
      .example("space sgemm --sample 5", "Prints five configurations drawn at random.")
      .related({"document", "tune"});
  return options;
}

}  // namespace

std::optional<SpaceOptions> parse_space(const std::vector<std::string>& arguments) {
  Options options = declare_space();
  if (!options.parse(arguments)) return std::nullopt;
  SpaceOptions read;
  read.kernel = options.required("KERNEL");
  read.sizes = read_sizes(options);
  read.permissions = read_permissions(options);
  read.sample = options.number("sample");
  read.list = options.number("list");
  if (options.has("check")) read.check = options.assignments("check");
  read.seed = options.number("seed").value_or(read.seed);
  read.json = options.json();
  const int given = (read.sample ? 1 : 0) + (read.list ? 1 : 0) + (read.check ? 1 : 0);
  if (given > 1) throw base::InputError("expected only one of --sample, --list and --check");
  return read;
}

namespace {

int run_space(const std::vector<std::string>& arguments) {
  const std::optional<SpaceOptions> options = parse_space(arguments);
  return options ? show_space(*options) : 0;
}

}  // namespace

Command space_command() {
  return {"space", "show the size and the constraints of a kernel's space", run_space,
          [] { return declare_space().description(); }};
}

}  // namespace warptune::tuner::commands
