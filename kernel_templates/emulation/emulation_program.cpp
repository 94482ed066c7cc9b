// Writes the program of an emulation. For each text of a kernel with its macros there is a namespace with the
// rewritten text and functions that launch its kernels. For each run there is a function that makes buffers,
// launches, and compares.
#include "kernel_templates/emulation/emulation_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "kernel_templates/adapting/adapted_source.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/definition/data_file.h"
#include "kernel_templates/emulation/launch_text.h"
#include "kernel_templates/emulation/source_rewriting.h"
#include "kernel_templates/given_contents.h"

namespace warptune::kernel_templates::emulation {

namespace fs = std::filesystem;

namespace {

struct Macro {
  std::string name;
  std::string value;
};

std::vector<Macro> macros_of(const CompileRequest& request) {
  std::vector<Macro> macros;
  for (const std::string& option : request.options) {
    if (!option.starts_with("-D")) continue;
    const std::size_t equals = option.find('=');
    const bool has_value = equals != std::string::npos;
    macros.push_back(
        {option.substr(2, has_value ? equals - 2 : equals), has_value ? option.substr(equals + 1) : "1"});
  }
  return macros;
}

// The last standard among the options. A definition names one by `language`, and may name another among its
// flags.
std::string_view standard_of(const CompileRequest& request) {
  std::string_view standard;
  for (const std::string_view option : request.options) {
    if (option.starts_with("-std=") || option.starts_with("--std="))
      standard = option.substr(option.find('=') + 1);
  }
  return standard;
}

const char* kind_text(const ResolvedArgument& argument) {
  switch (argument.kind) {
    case ArgumentKind::kIn:
      return "kIn";
    case ArgumentKind::kOut:
      return "kOut";
    case ArgumentKind::kInOut:
      return "kInOut";
    default:
      return argument.zeroed ? "kZeroedScratch" : "kScratch";
  }
}

// A text as a literal of C++.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' || c == '\t' ? ' ' : c;
  }
  return literal + '"';
}

template <class T>
base::Result<T> reason_or(model::Outcome<T> outcome) {
  if (!outcome) return base::failure(std::move(outcome.error().reason));
  return *std::move(outcome);
}

}  // namespace

base::Result<EmulationProgram::Run> EmulationProgram::run_of(const KernelInstance& instance,
                                                             const model::NamedValues& configuration) const {
  base::Result<CompileRequest> request = reason_or(instance.compile_request(configuration));
  if (!request) return base::failure(request.error());
  base::Result<LaunchPlan> plan = reason_or(instance.launch_plan(configuration));
  if (!plan) return base::failure(plan.error());
  auto arguments = reason_or(instance.arguments(configuration));
  if (!arguments) return base::failure(arguments.error());
  return Run{instance,
             std::move(*request),
             std::move(*plan),
             std::move(*arguments),
             fmt::format("{} {}, {}", instance.definition().name, model::to_text(instance.problem()),
                         model::to_text(configuration)),
             {},
             false,
             1};
}

base::Result<EmulationProgram::Run> EmulationProgram::reference_of(const KernelInstance& instance) const {
  constexpr std::int64_t kBlocks = 4;
  const Check& check = instance.definition().check;
  base::Result<CompileRequest> request = reason_or(instance.reference_request());
  if (!request) return base::failure(request.error());
  base::Result<LaunchPlan> plan = reason_or(instance.reference_plan());
  if (!plan) return base::failure(plan.error());
  if (check.reference == ReferenceKind::kExpression) {  // Any grid is right, and a small one is faster here.
    auto* step = std::get_if<LaunchStep>(&plan->steps.front().action);
    step->grid = {kBlocks, 1, 1};
  }
  auto arguments = reason_or(instance.reference_arguments());
  if (!arguments) return base::failure(arguments.error());
  return Run{instance,
             std::move(*request),
             std::move(*plan),
             std::move(*arguments),
             fmt::format("{} {}, reference", instance.definition().name, model::to_text(instance.problem())),
             {},
             false,
             1};
}

base::Result<std::size_t> EmulationProgram::add(const KernelInstance& instance,
                                                const model::NamedValues& configuration,
                                                const model::NamedValues& scalars, bool skewed) {
  base::Result<Run> run = run_of(instance, configuration);
  if (!run) return base::failure(run.error());
  if (!scalars.empty()) run->title += ", " + model::to_text(scalars);
  if (skewed) run->title += ", skewed";
  run->scalars = scalars;
  run->skewed = skewed;
  return add_check(*run, fmt::format("{{expected_{}(run)}}", kernel_));
}

base::Result<std::size_t> EmulationProgram::add_reference(const KernelInstance& instance) {
  const base::Result<Run> run = reference_of(instance);
  if (!run) return base::failure(run.error());
  return add_check(*run, fmt::format("{{expected_{}(run)}}", kernel_));
}

base::Result<std::size_t> EmulationProgram::add_against_reference(const KernelInstance& instance,
                                                                  const model::NamedValues& configuration,
                                                                  std::uint64_t seed) {
  base::Result<Run> run = run_of(instance, configuration);
  if (!run) return base::failure(run.error());
  run->seed = seed;
  const base::Result<std::string> expected =
      instance.has_expected_files() ? expected_text(*run) : reference_text(*run);
  if (!expected) return base::failure(expected.error());
  cases_ += fmt::format("static Case::Outputs expected_of_{}() {{\n{}}}\n", runs_, *expected);
  return add_check(*run, fmt::format("expected_of_{}()", runs_));
}

// Statements that return what the reference computes from the inputs of `run`.
base::Result<std::string> EmulationProgram::reference_text(const Run& run) {
  base::Result<Run> reference = reference_of(run.instance);
  if (!reference) return base::failure(reference.error());
  reference->seed = run.seed;
  const base::Result<std::string> evaluation = evaluation_text(*reference);
  if (!evaluation) return base::failure(evaluation.error());
  return *evaluation + "  return run.outputs_of(evaluation);\n";
}

// Statements that return the right outputs, which are in files.
std::string EmulationProgram::expected_text(const Run& run) {
  std::string outputs;
  for (ResolvedArgument argument : run.arguments) {
    for (const auto& [output, file] : expected_files(run.instance.definition())) {
      if (output != argument.name) continue;
      argument.init.path = file;
      const std::vector<std::byte> bytes = definition::read_data_file(argument);
      outputs +=
          fmt::format("elements_of(\"{}\", {}, \"{}\"), ", info(argument.type).name, argument.count,
                      data_file(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
    }
  }
  return fmt::format("  return {{{}}};\n", outputs);
}

base::Result<std::size_t> EmulationProgram::add_check(const Run& run, const std::string& expected) {
  const base::Result<std::string> evaluation = evaluation_text(run);
  if (!evaluation) return base::failure(evaluation.error());
  cases_ +=
      fmt::format("static bool run_{}() {{\n{}{}  return run.check(evaluation, {}, WARPTUNE_PROPERTY);\n}}\n",
                  runs_, *evaluation, kernel_.empty() ? "" : "  run.zero_scratch_once();\n", expected);
  return runs_++;
}

base::Result<EmulationProgram::Copy*> EmulationProgram::copy_of(const Run& run) {
  const KernelDefinition& definition = run.instance.definition();
  std::string key = run.request.source;
  for (const Macro& macro : macros_of(run.request))
    key += fmt::format("#define {} {}\n", macro.name, macro.value);
  auto [found, is_new] = copies_.try_emplace(key);
  Copy& copy = found->second;
  // The oldest standard of the runtime is C++17. Its headers are compiled in less time than those of C++20.
  is_cpp20_ |= standard_of(run.request) == "c++20";
  if (!is_new) return &copy;
  const std::string joined = adapting::adapted(run.request.program_name, run.request.source,
                                               compiling::source_settings(definition), &definition.scope);
  base::Result<RewrittenSource> rewritten = rewritten_source(joined);
  if (!rewritten) {
    copies_.erase(found);
    return base::failure(rewritten.error());
  }
  copy.name = fmt::format("copy_{}", copies_.size() - 1);
  copy.macros = std::move(rewritten->macros);
  headers_.insert(rewritten->headers.begin(), rewritten->headers.end());
  for (const Macro& macro : macros_of(run.request)) {
    copy.source += fmt::format("#define {} {}\n", macro.name, macro.value);
    copy.macros.insert(macro.name);
  }
  copy.source += fmt::format("#line 1 {}\n{}\n#line 1 \"generated\"\n", quoted(run.request.program_name),
                             rewritten->text);
  return &copy;
}

std::string EmulationProgram::data_file(std::string bytes) {
  const std::string name = fmt::format("input_{}", data_.size());
  return data_.try_emplace(std::move(bytes), name).first->second;
}

std::string EmulationProgram::buffer_text(const Run& run, std::size_t i) {
  const ResolvedArgument& argument = run.arguments[i];
  const bool has_data = argument.kind == ArgumentKind::kIn || argument.kind == ArgumentKind::kInOut;
  std::string data;
  if (has_data) {
    const std::vector<std::byte> bytes = generate_argument(argument, i, run.seed);
    data = data_file(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  const Tolerance tolerance = run.instance.tolerance(argument.type);
  return fmt::format("  run.add({{BufferKind::{}, {}, \"{}\", {}, \"{}\", {}, {}, {}, {}, {}}});\n",
                     kind_text(argument), quoted(argument.name), info(argument.type).name, argument.count,
                     data, run.skewed, tolerance.absolute, tolerance.relative,
                     argument.is_padded() ? argument.width : 0, argument.is_padded() ? argument.pitch : 0);
}

base::Result<std::string> EmulationProgram::evaluation_text(const Run& run) {
  std::string problem;
  for (const auto& [name, value] : run.instance.problem()) {
    const std::optional<double> number = model::to_number(value);
    problem += number ? fmt::format("{{\"{}\", {}}}, ", name, *number)
                      : fmt::format("{{{}, 1}}, ", quoted(name + "=" + model::to_text(value)));
  }
  std::string buffers;
  for (std::size_t i = 0; i < run.arguments.size(); ++i) {
    const ResolvedArgument& argument = run.arguments[i];
    if (argument.kind == ArgumentKind::kTexture) return base::failure("textures");
    if (argument.kind == ArgumentKind::kTensorMap && argument.tensor_map.encoded)
      return base::failure("tensor maps");
    if (argument.is_buffer()) buffers += buffer_text(run, i);
    if (argument.kind == ArgumentKind::kScalar) {
      const model::Value* other = model::find(run.scalars, argument.name);
      problem += fmt::format("{{\"{}\", {}}}, ", argument.name,
                             model::to_text(other == nullptr ? argument.scalar : *other));
    }
  }
  const base::Result<std::string> launches = launches_text(run.arguments, run.scalars, run.plan);
  if (!launches) return base::failure(launches.error());
  const base::Result<Copy*> copy = copy_of(run);
  if (!copy) return base::failure(copy.error());
  const std::string function = fmt::format("warptune_evaluation_{}", evaluations_++);
  (*copy)->launches += fmt::format(
      "inline void {}([[maybe_unused]] ::warptune::emulation::Case& warptune_case, bool warptune_backward) "
      "{{\n{}}}\n",
      function, *launches);
  return fmt::format(
      "  Case run({}, {}, {{{}}});\n{}"
      "  const auto evaluation = [&](bool backward) {{ {}::{}(run, backward); }};\n",
      runs_, quoted(run.title), problem, buffers, (*copy)->name, function);
}

std::vector<NamedFile> EmulationProgram::files() const {
  const std::string header = kernel_.empty() ? "emulated_case.h" : fmt::format("references/{}.h", kernel_);
  std::string text = fmt::format(
      "#include \"{}\"\n#ifndef WARPTUNE_PROPERTY\n#define WARPTUNE_PROPERTY nullptr\n#endif\n", header);
  for (const std::string& name : headers_) text += fmt::format("#include <{}>\n", name);
  text += "#define asm warptune_inline_ptx\n#define __asm__ warptune_inline_ptx\n";
  for (const auto& [key, copy] : copies_) {
    text += fmt::format("namespace {} {{\n{}{}}}\n", copy.name, copy.source, copy.launches);
    for (const std::string& macro : copy.macros) text += fmt::format("#undef {}\n", macro);
  }
  text += "using namespace warptune::emulation;\n" + cases_;
  text += "int main(int, char** arguments) {\n  data_folder() = arguments[1];\n  int wrong = 0;\n";
  for (std::size_t i = 0; i < runs_; ++i) text += fmt::format("  wrong += !run_{}();\n", i);
  text += fmt::format("  return conclude(wrong, {});\n}}\n", runs_);
  std::vector<NamedFile> files = {{"program.cpp", std::move(text)},
                                  {kCompilerOptionsFile, is_cpp20_ ? "-std=c++20" : "-std=c++17"}};
  for (const auto& [bytes, name] : data_) files.push_back({name, bytes});
  return files;
}

}  // namespace warptune::kernel_templates::emulation
