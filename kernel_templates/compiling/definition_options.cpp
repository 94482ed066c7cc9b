#include "kernel_templates/compiling/definition_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "kernel_templates/compiling/rendering.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates::compiling {

namespace {

// The words of all flags for one configuration. Empty if a placeholder has no value for it.
std::vector<OptionWord> words_for(const KernelDefinition& definition,
                                  const model::NamedValues& configuration) {
  model::NamedValues scope = configuration;
  scope.insert(scope.end(), definition.problem.begin(), definition.problem.end());
  const model::NamedValues device = model::GpuDescription{}.attributes();
  scope.insert(scope.end(), device.begin(), device.end());
  std::vector<OptionWord> words;
  for (std::size_t i = 0; i < definition.flags.size(); ++i) {
    const base::Result<std::string> flag = fill_placeholders(definition.flags[i], definition.problem, scope);
    if (!flag) return {};
    std::vector<OptionWord> of_flag = words_of(*flag, flag_position(definition, i));
    std::move(of_flag.begin(), of_flag.end(), std::back_inserter(words));
  }
  return words;
}

model::NamedValues first_values(const KernelDefinition& definition) {
  model::NamedValues first;
  for (const model::Parameter& parameter : definition.parameters)
    first.emplace_back(parameter.name, parameter.values.front());
  return first;
}

}  // namespace

base::SourcePosition flag_position(const KernelDefinition& definition, std::size_t index) {
  return index < definition.flag_positions.size() ? definition.flag_positions[index] : base::SourcePosition{};
}

bool flags_vary(const KernelDefinition& definition) {
  return std::any_of(definition.flags.begin(), definition.flags.end(),
                     [](const std::string& flag) { return flag.find('{') != std::string::npos; });
}

void check_compiler_options(KernelDefinition& definition) {
  std::vector<std::string>& folders = definition.flag_folders;
  const auto check = [&](const model::NamedValues& configuration) {
    for (const CompilerOption& option : read_compiler_options(words_for(definition, configuration))) {
      if (option.name != "include-path" || base::contains(folders, option.value)) continue;
      definition.scope.require(option.value, "the include folder", option.position);
      folders.push_back(option.value);
    }
  };
  const model::NamedValues first = first_values(definition);
  check(first);
  if (!flags_vary(definition)) return;
  for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
    model::NamedValues configuration = first;
    for (const model::Value& value : definition.parameters[i].values) {
      configuration[i].second = value;
      check(configuration);
    }
  }
}

void check_option_folders(const KernelDefinition& definition, const std::vector<CompilerOption>& options) {
  for (const CompilerOption& option : options) {
    if (option.name != "include-path" || base::contains(definition.flag_folders, option.value)) continue;
    throw base::InputError(
        fmt::format("the include folder {} depends on several parameters; list it in [kernel] include",
                    option.value),
        option.position);
  }
}

adapting::SourceSettings source_settings(const KernelDefinition& definition) {
  adapting::SourceSettings settings;
  settings.folders = definition.include_folders;
  settings.folders.insert(settings.folders.end(), definition.flag_folders.begin(),
                          definition.flag_folders.end());
  settings.keeps_host_code =
      std::any_of(definition.flags.begin(), definition.flags.end(), [](const std::string& flag) {
        return flag.find("default-device") != std::string::npos ||
               flag.find("device-as-default") != std::string::npos;
      });
  return settings;
}

std::vector<CompilerOption> first_options(const KernelDefinition& definition) {
  return read_compiler_options(words_for(definition, first_values(definition)));
}

}  // namespace warptune::kernel_templates::compiling
