#include "kernel_templates/inspection/grid_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>

namespace warptune::kernel_templates::inspection {

namespace {

// A launch of the definition, with what its kernel does with the arguments.
struct GridLaunch {
  const Launch* launch = nullptr;
  bool known = true;       ///< False if the kernel may do anything.
  bool comparable = true;  ///< False if it lists what it passes, so that indices mean other arguments.
  bool reads_grid = false;
  std::unordered_set<std::size_t> used;  ///< Indices of the parameters that the body uses, without scalars.
  std::unordered_set<std::size_t> outputs;  ///< Those of `used` whose elements are not constant.
};

bool is_constant_pointer(const std::string& type) {
  return type.starts_with("const ") || type.find(" const*") != std::string::npos ||
         type.find(" const *") != std::string::npos;
}

// Adds what one kernel does. A launch may have several kernels, one for each variant.
void add_kernel(const SourceFacts& facts, const std::string& entry, GridLaunch& launch) {
  const std::string name = function_of(entry);
  const KernelSignature* kernel = facts.kernel(name);
  const auto body = facts.definitions.find(name);
  // With `any_name`, the source may form names in ways that the inspection does not see, such as by `##`.
  if (kernel == nullptr || body == facts.definitions.end() || facts.any_name) {
    launch.known = false;
    return;
  }
  launch.reads_grid = launch.reads_grid || may_read_grid(facts.definitions, name);
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
    const WrittenParameter& parameter = kernel->parameters[i];
    const bool pointer = parameter.type.find('*') != std::string::npos;
    const bool arithmetic = !pointer && (parameter.type.find("int") != std::string::npos ||
                                         parameter.type.find("long") != std::string::npos ||
                                         parameter.type == "float" || parameter.type == "double");
    if (arithmetic || !body->second.contains(parameter.name)) continue;
    launch.used.insert(i);
    if (!pointer || !is_constant_pointer(parameter.type)) launch.outputs.insert(i);
  }
}

std::vector<GridLaunch> launches_of(const KernelDefinition& definition,
                                    const std::vector<SourceFacts>& sources) {
  const auto facts_of = [&](const std::filesystem::path& source) {
    return std::find_if(sources.begin(), sources.end(),
                        [&](const SourceFacts& facts) { return facts.source == source; });
  };
  std::vector<GridLaunch> launches;
  const auto add = [&](const Launch& launch, const std::string& entry, const std::filesystem::path& source) {
    if (launches.empty() || launches.back().launch != &launch)
      launches.push_back({&launch, true, !launch.arguments, false, {}, {}});
    const auto facts = facts_of(source);
    if (facts == sources.end()) {
      launches.back().known = false;
    } else {
      add_kernel(*facts, entry, launches.back());
    }
  };
  if (definition.variants.empty()) add(definition.launch, definition.entry, definition.source);
  for (const Variant& variant : definition.variants) add(definition.launch, variant.entry, variant.source);
  for (const auto* further : {&definition.before, &definition.after}) {
    for (const Launch& launch : *further) {
      add(launch, launch.entry, definition.source);
      // This launch is compiled from the source of the chosen variant, which need not be the definition's.
      if (!definition.variants.empty()) launches.back().known = false;
    }
  }
  return launches;
}

// Whether `other` may process the elements that the grid of `launch` leaves out: it uses an input of
// `launch`, or writes a buffer that `launch` writes. Launches without a list of their own have the same
// arguments, so the indices are comparable.
bool may_process_rest(const GridLaunch& other, const GridLaunch& launch) {
  if (!other.known || !other.comparable || !launch.comparable) return true;
  const auto any_in = [](const auto& some, const auto& all) {
    return std::any_of(some.begin(), some.end(), [&](std::size_t one) { return all.contains(one); });
  };
  std::unordered_set<std::size_t> inputs = launch.used;
  for (const std::size_t output : launch.outputs) inputs.erase(output);
  return any_in(inputs, other.used) || any_in(launch.outputs, other.outputs);
}

// Whether an expression of what a launch passes for one parameter `drops` something.
bool any_drops(const HostArgument& passed, const std::function<bool(const model::Expression&)>& drops) {
  if ((passed.value && drops(*passed.value)) || (passed.offset && drops(*passed.offset))) return true;
  return std::any_of(passed.members.begin(), passed.members.end(),
                     [&](const HostArgument& member) { return any_drops(member, drops); });
}

// Whether a define, a scalar argument or a value that the launch lists drops the same remainder. Then the
// kernel may get the number of blocks from it, and loop over the rest.
bool may_be_passed(const KernelDefinition& definition, const Launch& launch, const model::NamedValues& scope,
                   const model::DroppedRemainder& wanted) {
  const auto drops = [&](const model::Expression& expression) {
    const auto dropped = expression.dropped_remainders(scope);
    return std::any_of(dropped.begin(), dropped.end(), [&](const auto& one) {
      return one.dividend == wanted.dividend && one.divisor == wanted.divisor;
    });
  };
  if (launch.arguments && std::any_of(launch.arguments->begin(), launch.arguments->end(),
                                      [&](const HostArgument& passed) { return any_drops(passed, drops); }))
    return true;
  return std::any_of(definition.defines.begin(), definition.defines.end(),
                     [&](const auto& define) { return drops(define.second); }) ||
         std::any_of(definition.arguments.begin(), definition.arguments.end(),
                     [&](const Argument& argument) { return argument.value && drops(*argument.value); });
}

// For each dimension of the grid, a finding for the first configuration that drops a part of a problem size.
Findings dropped_by(const Launch& launch, const KernelInstance& instance,
                    const std::vector<model::NamedValues>& configurations) {
  const auto is_size = [&](const std::string& text) {
    const std::vector<std::string> names = model::Expression::parse(text).variables();
    return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return model::find(instance.problem(), name) != nullptr;
    });
  };
  Findings findings;
  for (const model::Expression& grid : launch.grid) {
    for (const model::NamedValues& configuration : configurations) {
      model::NamedValues scope = configuration;
      scope.insert(scope.end(), instance.constants().begin(), instance.constants().end());
      const auto dropped = grid.dropped_remainders(scope);
      const auto found = std::find_if(dropped.begin(), dropped.end(), [&](const auto& one) {
        return is_size(one.dividend) && !may_be_passed(instance.definition(), launch, scope, one);
      });
      if (found == dropped.end()) continue;
      findings.push_back(
          {Severity::kError, grid.position(),
           fmt::format("the grid leaves out the last {} of {} for {}: '{} / {}' is rounded down; expected "
                       "ceil_div({}, {}), or a constraint",
                       found->remainder, found->dividend, model::to_text(configuration), found->dividend,
                       found->divisor, found->dividend, found->divisor)});
      break;
    }
  }
  return findings;
}

}  // namespace

Findings uncovered_sizes(const KernelInstance& instance, const std::vector<SourceFacts>& sources,
                         const std::vector<model::NamedValues>& configurations) {
  const KernelDefinition& definition = instance.definition();
  if (definition.host) return {};
  const std::vector<GridLaunch> launches = launches_of(definition, sources);
  Findings findings;
  for (const GridLaunch& launch : launches) {
    if (!launch.known || launch.reads_grid) continue;
    const bool covered = std::any_of(launches.begin(), launches.end(), [&](const GridLaunch& other) {
      return &other != &launch && may_process_rest(other, launch);
    });
    if (covered) continue;
    const Findings dropped = dropped_by(*launch.launch, instance, configurations);
    findings.insert(findings.end(), dropped.begin(), dropped.end());
  }
  return findings;
}

}  // namespace warptune::kernel_templates::inspection
