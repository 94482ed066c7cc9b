#include "tuner/checking/program_positions.h"

namespace warptune::tuner::checking {

using kernel_templates::KernelDefinition;

const kernel_templates::Variant* variant_of(const KernelDefinition& definition,
                                            const CheckedProgram& program) {
  if (definition.variants.empty()) return nullptr;
  const model::Value* name = model::find(program.configuration, definition.parameters.front().name);
  for (const kernel_templates::Variant& variant : definition.variants) {
    if (name != nullptr && variant.name == model::to_text(*name)) return &variant;
  }
  return nullptr;
}

base::SourcePosition entry_position(const KernelDefinition& definition, const CheckedProgram& program) {
  if (program.role == Role::kReference &&
      definition.check.reference == kernel_templates::ReferenceKind::kEntry)
    return definition.check.launch.position;
  const kernel_templates::Variant* variant = variant_of(definition, program);
  return variant == nullptr ? definition.entry_position : variant->position;
}

base::SourcePosition launch_position(const KernelDefinition& definition, const CheckedProgram& program,
                                     const std::string& entry) {
  if (program.role == Role::kReference) return entry_position(definition, program);
  for (const auto* launches : {&definition.before, &definition.after}) {
    for (const kernel_templates::Launch& launch : *launches) {
      if (launch.entry == entry) return launch.position;
    }
  }
  if (!definition.host) return entry_position(definition, program);
  for (const kernel_templates::HostLoop& loop : definition.host->loops) {
    for (const kernel_templates::HostStep& step : loop.steps) {
      const auto* launch = std::get_if<kernel_templates::HostLaunch>(&step.action);
      if (launch != nullptr && launch->launch.entry == entry) return step.position;
    }
  }
  return entry_position(definition, program);
}

base::SourcePosition argument_position(const KernelDefinition& definition, const std::string& reason) {
  for (const kernel_templates::Argument& argument : definition.arguments) {
    if (reason.find("'" + argument.name + "'") != std::string::npos) return argument.position;
  }
  return definition.entry_position;
}

base::SourcePosition invalid_launch_position(const kernel_templates::KernelInstance& instance,
                                             const CheckedProgram& program) {
  const KernelDefinition& definition = instance.definition();
  if (program.role != Role::kReference && !instance.arguments(program.configuration))
    return argument_position(definition, program.rejection->reason);
  return definition.host ? entry_position(definition, program) : definition.launch.block.front().position();
}

FailedProgram asked_names(const KernelDefinition& definition, const CheckedProgram& program,
                          const std::string& what) {
  FailedProgram asked{what, {}, {}};
  for (const std::string& entry : program.entries)
    asked.entries.push_back({entry, launch_position(definition, program, entry)});
  if (asked.entries.empty()) asked.entries.push_back({definition.entry, entry_position(definition, program)});
  for (const kernel_templates::Argument& argument : definition.arguments) {
    if (!argument.symbol.empty()) asked.variables.push_back({argument.symbol, argument.position});
  }
  return asked;
}

}  // namespace warptune::tuner::checking
