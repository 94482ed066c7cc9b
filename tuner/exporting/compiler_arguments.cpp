#include "tuner/exporting/compiler_arguments.h"

#include <fmt/format.h>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::tuner::exporting {

namespace {

// The text of a macro with a value: booleans are 0 or 1.
std::string macro_text(const model::Value& value) {
  const bool* truth = std::get_if<bool>(&value);
  return truth != nullptr ? (*truth ? "1" : "0") : model::to_text(value);
}

}  // namespace

std::vector<std::string> compiler_arguments(const kernel_templates::KernelDefinition& definition,
                                            const model::NamedValues& problem,
                                            const model::GpuDescription& gpu,
                                            const model::NamedValues& configuration) {
  const kernel_templates::KernelInstance instance(definition, problem, gpu);
  const auto request = instance.compile_request(configuration);
  if (!request)
    throw base::InputError(fmt::format("cannot export {}: {}", definition.name, request.error().reason));
  std::vector<std::string> arguments = {"-std=" + definition.language, "-DWARPTUNE=1"};
  if (request->architecture.ends_with('a')) {
    const std::string architecture = request->architecture.substr(request->architecture.find('_') + 1);
    arguments.push_back(fmt::format("-gencode=arch=compute_{0},code=sm_{0}", architecture));
  }
  for (const auto& [name, value] : instance.problem()) {
    const std::string* text = std::get_if<std::string>(&value);
    const auto type = text == nullptr ? std::nullopt : kernel_templates::parse_data_type(*text);
    if (type) arguments.push_back(fmt::format("-D{}={}", name, kernel_templates::info(*type).cuda_name));
  }
  model::NamedValues scope = configuration;
  scope.insert(scope.end(), instance.constants().begin(), instance.constants().end());
  for (const auto& [name, expression] : definition.defines) {
    const base::Result<model::Value> value = expression.evaluate(scope);
    if (value) arguments.push_back(fmt::format("-D{}={}", name, macro_text(*value)));
  }
  for (const std::string& option : request->options) {
    // Written above, or a macro of a parameter, or an include folder, or for NVRTC only.
    const bool is_left_out = option.starts_with("-D") || option.starts_with("-I") ||
                             option.starts_with("-std=") || option == "-pch" || option == "-default-device";
    if (!is_left_out) arguments.push_back(option);
  }
  return arguments;
}

}  // namespace warptune::tuner::exporting
