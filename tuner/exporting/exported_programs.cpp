// Makes the programs that an exported file contains. A program is made from the same compile request that a
// compile worker gets, so both compile the same code. `-D` options become macros. Included files of the
// definition are inlined.
//
// A request is made for one problem on one GPU. The program may contain values of them, such as a macro
// with the number of columns. Each such value becomes a demand: the program may run only where it is the
// same.
#include "tuner/exporting/exported_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/shared_library.h"
#include "kernel_templates/resolution/memory_resolution.h"
#include "model/expression.h"
#include "tuner/exporting/exported_recommendations.h"

namespace warptune::tuner::exporting {

using kernel_templates::KernelDefinition;
using kernel_templates::KernelInstance;
using kernel_templates::Launch;

namespace {

[[noreturn]] void refuse(const KernelDefinition& definition, const std::string& what,
                         const base::SourcePosition& where) {
  throw base::InputError(fmt::format("cannot export {} as CUDA code: {}", definition.name, what), where);
}

// Options that do not change the compiled code.
bool is_without_effect(const std::string& option) {
  static const std::set<std::string> kQuiet = {"-pch", "-lineinfo", "--generate-line-info", "-w",
                                               "--disable-warnings"};
  return kQuiet.contains(option) || option.find("diag-") != std::string::npos;
}

// Sorts the options of a request into the parts of a program. Returns the include folders among them.
std::vector<std::filesystem::path> take_options(const std::vector<std::string>& options,
                                                ExportedProgram& program) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& option : options) {
    if (option.starts_with("-D")) {
      const std::size_t equal = std::min(option.find('='), option.size());
      const std::string text = equal < option.size() ? option.substr(equal + 1) : "1";
      program.macros.emplace_back(option.substr(2, equal - 2), text);
    } else if (option.starts_with("-I")) {
      folders.emplace_back(option.substr(2));
    } else if (option.starts_with("-std=")) {
      program.language = option.substr(5);
    } else if (!is_without_effect(option)) {
      program.flags.push_back(option);
    }
  }
  return folders;
}

// The expressions between braces in entries and flags.
std::vector<std::string> placeholders_of(const KernelDefinition& definition) {
  std::vector<std::string> texts = definition.flags;
  texts.push_back(definition.entry);
  for (const Launch* launch : launches_of(definition)) texts.push_back(launch->entry);
  for (const kernel_templates::Variant& variant : definition.variants) texts.push_back(variant.entry);
  std::vector<std::string> inside;
  for (const std::string& text : texts) {
    for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
      const std::size_t close = text.find('}', open);
      if (close != std::string::npos) inside.push_back(text.substr(open + 1, close - open - 1));
    }
  }
  return inside;
}

// CUDA Programming Guide, "Tensor Memory Access": devices of compute capability 9.0 and later have it.
constexpr int kFirstWithTensorMaps = 90;

// Adds the demands of a program that was made for this instance.
void add_demands(const KernelInstance& instance, const model::NamedValues& configuration,
                 ExportedProgram& program) {
  model::NamedValues scope = configuration;
  scope.insert(scope.end(), instance.constants().begin(), instance.constants().end());
  const auto add = [&](const model::Expression& expression) {
    // Only values of the problem and of the GPU are demanded. Parameters are part of each row anyway.
    const bool varies =
        std::any_of(expression.variables().begin(), expression.variables().end(),
                    [&](const std::string& name) { return model::find(configuration, name) == nullptr; });
    const base::Result<model::Value> value = expression.evaluate(scope);
    if (!varies || !value) return;
    std::string demand = fmt::format("({}) == {}", expression.text(), model::to_literal(*value));
    if (std::find(program.demands.begin(), program.demands.end(), demand) == program.demands.end())
      program.demands.push_back(std::move(demand));
  };
  const KernelDefinition& definition = instance.definition();
  for (const auto& [name, value] : instance.problem()) {
    if (program.defines(name)) add(model::Expression::parse(name));
  }
  for (const auto& [name, expression] : definition.defines) {
    const bool is_hint =
        std::find(definition.hints.begin(), definition.hints.end(), name) != definition.hints.end();
    if (program.defines(name) && !is_hint) add(expression);
  }
  for (const std::string& placeholder : placeholders_of(definition))
    add(model::Expression::parse(placeholder));
}

// Whether a kernel of the configuration gets a tensor map that is not empty, or may get one. If a map is
// refused, the arguments are not known.
bool uses_tensor_maps(const KernelInstance& instance, const model::NamedValues& configuration) {
  const auto arguments = instance.arguments(configuration);
  if (!arguments) {
    const std::vector<kernel_templates::Argument>& all = instance.definition().arguments;
    return std::any_of(all.begin(), all.end(), [](const kernel_templates::Argument& argument) {
      return argument.kind == kernel_templates::ArgumentKind::kTensorMap;
    });
  }
  return std::any_of(arguments->begin(), arguments->end(),
                     [](const auto& argument) { return argument.tensor_map.encoded; });
}

void require_exportable(const KernelDefinition& definition) {
  const base::SourcePosition& where = definition.position;
  if (definition.host) refuse(definition, "it is a program of several steps ([host])", where);
  if (!definition.libraries.empty())
    refuse(definition, "it is linked with device libraries of the toolkit ([kernel] libraries)", where);
  for (const kernel_templates::Launch* launch : launches_of(definition)) {
    if (launch->arguments)
      refuse(definition, "a launch passes other arguments than all of them in order", launch->position);
  }
  if (const auto* tuned = kernel_templates::resolution::argument_with_tuned_pitch(definition))
    refuse(definition,
           fmt::format("the pitch of its argument \"{}\" depends on a parameter, so a caller cannot know it",
                       tuned->name),
           tuned->pitch->position());
  for (const kernel_templates::Argument& argument : definition.arguments) {
    if (argument.kind == kernel_templates::ArgumentKind::kTexture)
      refuse(definition, fmt::format("its argument \"{}\" is a texture", argument.name), argument.position);
  }
}

// Two programs with the same key are the same code.
auto key_of(const ExportedProgram& program) {
  return std::tie(program.source.text, program.macros, program.flags, program.entries, program.architecture,
                  program.demands);
}

std::size_t index_of(ExportedProgram program, std::vector<ExportedProgram>& programs) {
  const auto found = std::find_if(programs.begin(), programs.end(), [&](const ExportedProgram& other) {
    return key_of(other) == key_of(program);
  });
  const auto index = static_cast<std::size_t>(found - programs.begin());
  if (found == programs.end()) programs.push_back(std::move(program));
  return index;
}

}  // namespace

bool ExportedProgram::defines(const std::string& name) const {
  return std::any_of(macros.begin(), macros.end(), [&](const auto& macro) { return macro.first == name; }) ||
         std::find(source.macros.begin(), source.macros.end(), name) != source.macros.end();
}

std::vector<const Launch*> launches_of(const KernelDefinition& definition) {
  std::vector<const Launch*> launches;
  for (const Launch& launch : definition.before) launches.push_back(&launch);
  launches.push_back(&definition.launch);
  for (const Launch& launch : definition.after) launches.push_back(&launch);
  return launches;
}

ExportedProgram exported_program(const KernelInstance& instance, const model::NamedValues& configuration) {
  const KernelDefinition& definition = instance.definition();
  const model::Outcome<kernel_templates::CompileRequest> request = instance.compile_request(configuration);
  if (!request) {
    refuse(definition, fmt::format("{}: {}", model::to_text(configuration), request.error().reason),
           definition.position);
  }
  ExportedProgram program;
  const std::vector<std::filesystem::path> folders = take_options(request->options, program);
  if (std::find(program.flags.begin(), program.flags.end(), "-default-device") != program.flags.end())
    refuse(definition, "its source has host code or headers that NVRTC lacks", definition.position);
  // A request lists the main entry first, then the entries of other launches, each of them once. `distinct`
  // rebuilds that list from the definition, with an empty text for the main entry.
  std::vector<std::string> distinct = {""};
  const auto entry_of = [&](const Launch& launch) {
    const bool main = &launch == &definition.launch || launch.entry.empty() ||
                      (definition.variants.empty() && launch.entry == definition.entry);
    const auto at = std::find(distinct.begin(), distinct.end(), main ? "" : launch.entry);
    const auto index = static_cast<std::size_t>(at - distinct.begin());
    if (at == distinct.end()) distinct.push_back(launch.entry);
    return request->entries.at(std::min(index, request->entries.size() - 1));
  };
  for (const Launch* launch : launches_of(definition)) program.entries.push_back(entry_of(*launch));
  if (request->architecture.ends_with('a'))
    program.architecture = request->architecture.substr(request->architecture.find('_') + 1);
  program.source = kernel_templates::compiling::inlined_source(request->source, request->program_name,
                                                               folders, base::cuda_include_folders());
  add_demands(instance, configuration, program);
  program.compute_capability = instance.gpu().compute_major * 10 + instance.gpu().compute_minor;
  if (!program.architecture.empty()) {
    program.demands.push_back(fmt::format("device_compute_capability == {}", program.compute_capability));
  } else if (uses_tensor_maps(instance, configuration)) {
    program.demands.push_back(fmt::format("device_compute_capability >= {}", kFirstWithTensorMaps));
  }
  return program;
}

ExportedPrograms exported_programs(const KernelDefinition& definition,
                                   const std::vector<const db::Winner*>& rows,
                                   const std::vector<const db::ExportedRecommendation*>& recommended) {
  require_exportable(definition);
  ExportedPrograms exported;
  exported.recommended.resize(recommended.size());
  for (const db::Winner* row : rows) {
    const KernelInstance instance(definition, row->workload.problem, row->workload.gpu);
    exported.of_row.push_back(
        index_of(exported_program(instance, row->best.configuration), exported.programs));
    const auto add = [&](std::vector<std::size_t>& users, ExportedProgram made) {
      const std::size_t program = index_of(std::move(made), exported.programs);
      if (std::find(users.begin(), users.end(), program) == users.end()) users.push_back(program);
    };
    if (!instance.default_configuration().empty())
      add(exported.defaults, exported_program(instance, instance.default_configuration()));
    for (std::size_t i = 0; i < recommended.size(); ++i) {
      // A program that breaks constraints of its types or GPU may not compile, and then the file does not.
      if (!instance.compile_request(recommended[i]->values)) continue;
      ExportedProgram program = exported_program(instance, recommended[i]->values);
      if (may_be_chosen(instance, *recommended[i], program)) add(exported.recommended[i], std::move(program));
    }
  }
  return exported;
}

}  // namespace warptune::tuner::exporting
