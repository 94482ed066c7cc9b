#include "tuner/kernel_pages/kernel_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "tuner/kernel_pages/kernel_page_arguments.h"
#include "tuner/kernel_pages/kernel_page_steps.h"
#include "tuner/text_output/markdown.h"

namespace warptune::tuner::kernel_pages {

using kernel_templates::Argument;
using kernel_templates::ArgumentKind;
using kernel_templates::Check;
using kernel_templates::InitialiserKind;
using kernel_templates::KernelDefinition;
using kernel_templates::Launch;
using kernel_templates::ReferenceKind;

namespace {

// An empty text is visible as two quotation marks.
std::string value_text(const model::Value& value) {
  return value == model::Value(std::string()) ? "\"\"" : model::to_text(value);
}

std::string list_of(const std::vector<model::Value>& values) {
  std::string text;
  for (const model::Value& value : values) text += (text.empty() ? "" : " ") + value_text(value);
  return text;
}

// Whether a constraint that uses only problem entries uses this entry.
bool is_constrained(const KernelDefinition& definition, const std::string& entry) {
  return std::ranges::any_of(definition.constraints, [&](const auto& constraint) {
    const std::vector<std::string>& names = constraint.expression.variables();
    return std::ranges::find(names, entry) != names.end() &&
           std::ranges::all_of(
               names, [&](const auto& name) { return model::find(definition.problem, name) != nullptr; });
  });
}

std::string problem_section(const KernelDefinition& definition) {
  std::string text =
      "\n## Problem\n\nThese entries describe the problem. A session may set each to another allowed "
      "value.\n\n" +
      text_output::markdown_head({"entry", "default", "allowed values", "meaning"});
  for (const auto& [name, value] : definition.problem) {
    std::string allowed = model::type_of(value) == model::ValueType::kText ? "any text" : "any";
    if (is_constrained(definition, name)) allowed = "see [constraints](#constraints)";
    for (const auto& [entry, values] : definition.problem_values)
      if (entry == name) allowed = list_of(values);
    std::string meaning;
    for (const auto& [entry, description] : definition.problem_descriptions)
      if (entry == name) meaning = description;
    text += text_output::markdown_row({text_output::markdown_code(name),
                                       text_output::markdown_code(model::to_text(value)), allowed,
                                       text_output::markdown_cell(meaning)});
  }
  return text;
}

std::string parameter_section(const KernelDefinition& definition) {
  std::string text =
      "\n## Parameters\n\nA configuration chooses one value of each parameter. The defaults are what a "
      "person would write.\n\n" +
      text_output::markdown_head({"parameter", "values", "default", "meaning"});
  for (const model::Parameter& parameter : definition.parameters) {
    const model::Value* chosen = model::find(definition.default_configuration, parameter.name);
    std::string meaning = parameter.description;
    for (const kernel_templates::ParameterCondition& condition : definition.parameter_conditions) {
      if (condition.parameter != parameter.name) continue;
      meaning += fmt::format("{}used only if `{}`, otherwise {}", meaning.empty() ? "" : "; ",
                             condition.when.text(), model::to_text(condition.otherwise));
    }
    text +=
        text_output::markdown_row({text_output::markdown_code(parameter.name), list_of(parameter.values),
                                   chosen == nullptr ? "" : text_output::markdown_code(value_text(*chosen)),
                                   text_output::markdown_cell(meaning)});
  }
  return text;
}

// The list has no conditions of single parameters: those are in the table of parameters.
std::string constraint_section(const KernelDefinition& definition) {
  const std::size_t written = definition.constraints.size() - definition.parameter_conditions.size();
  if (written == 0) return "";
  std::string text =
      "\n## Constraints\n\nA configuration is valid if all of these hold. Names that begin with `device_` "
      "are properties of the\n"
      "GPU, and [expressions.md](../expressions.md) explains the operators.\n\n" +
      text_output::markdown_head({"must hold", "because"});
  for (std::size_t i = 0; i < written; ++i)
    text +=
        text_output::markdown_row({text_output::markdown_code(definition.constraints[i].expression.text()),
                                   text_output::markdown_cell(definition.constraints[i].reason)});
  return text;
}

std::string size_text(const KernelDefinition& definition) {
  const model::GpuDescription gpu = model::fictional_gpu();
  const kernel_templates::KernelInstance instance(definition, {}, gpu);
  const model::Space& space = instance.space();
  return fmt::format("\n{} valid for the default problem on a GPU of compute capability {}.{}.\n",
                     space.is_exact()
                         ? base::counted(space.size(), "configuration is", "configurations are")
                         : fmt::format("About {:.3g}", space.estimated_size()) + " configurations are",
                     gpu.compute_major, gpu.compute_minor);
}

std::string launch_row(const std::string& when, const std::string& entry, const Launch& launch) {
  return text_output::markdown_row(
      {when, text_output::markdown_code(entry), text_output::markdown_code(texts_of(launch.grid)),
       text_output::markdown_code(texts_of(launch.block)),
       text_output::markdown_code(launch.shared_bytes ? launch.shared_bytes->text() : ""),
       text_output::markdown_code(texts_of(launch.cluster)),
       text_output::markdown_code(launch.when ? launch.when->text() : "")});
}

std::string launch_section(const KernelDefinition& definition) {
  if (definition.host) return steps_section(*definition.host);
  std::string text =
      "\n## Launches\n\nThe kernels are launched in this order. Sizes are expressions over the problem and "
      "the parameters.\n"
      "Up to three expressions, separated by commas, give the x, y and z dimensions.\n\n" +
      text_output::markdown_head({"launch", "kernel", "grid (blocks)", "block (threads)",
                                  "dynamic shared memory (bytes)", "cluster (blocks)", "only if"});
  for (const Launch& launch : definition.before) text += launch_row("before", launch.entry, launch);
  text += launch_row("main", definition.entry, definition.launch);
  for (const Launch& launch : definition.after) text += launch_row("after", launch.entry, launch);
  const auto add_passed = [&](const std::string& entry, const Launch& launch) {
    if (launch.arguments)
      text +=
          fmt::format("\n{} gets {}.\n", text_output::markdown_code(entry), passed_text(*launch.arguments));
  };
  for (const Launch& launch : definition.before) add_passed(launch.entry, launch);
  add_passed(definition.entry, definition.launch);
  for (const Launch& launch : definition.after) add_passed(launch.entry, launch);
  return text;
}

bool is_zero(const std::optional<model::Expression>& limit) {
  return limit && (limit->text() == "0" || limit->text() == "0.0");
}

std::string check_text(const KernelDefinition& definition) {
  const Check& check = definition.check;
  std::string text;
  if (check.reference == ReferenceKind::kEntry)
    text = fmt::format("the kernel `{}` in `{}`", check.launch.entry, check.source.filename().string());
  if (check.reference == ReferenceKind::kConfiguration) text = "another configuration";
  if (check.reference == ReferenceKind::kFile)
    text = "the outputs in files that belong to the definition, for its own sizes";
  for (const auto& [output, expression] : check.expressions)
    text += fmt::format("{}`{}` for `{}`", text.empty() ? "" : ", ", expression, output);
  if (text.empty()) return "\nOutputs are not checked.\n";
  text = fmt::format("\nEvery output is compared with {}", text);
  if (is_zero(check.absolute) && is_zero(check.relative)) {
    text += ". Every element of the output must equal that of the reference";
  } else if (check.absolute || check.relative) {
    text += fmt::format(
        ". For each element x of the output and its element r of the reference, this must hold: "
        "|x - r| <= `{}` + `{}` |r|",
        check.absolute ? check.absolute->text() : "0", check.relative ? check.relative->text() : "0");
  }
  text += ".";
  if (check.nondeterministic) {
    text += fmt::format(" If `{}`, the results of two launches may differ, but only within this limit.",
                        check.nondeterministic->text());
  }
  return text + "\n";
}

// What benchmarks compare the kernel with: functions of libraries, or "no library, but with ..." if there is
// none.
std::string comparison_text(const std::string& vendor) {
  constexpr std::string_view kNoLibrary = "no library, but with ";
  if (vendor.empty()) return "";
  if (!vendor.starts_with(kNoLibrary))
    return fmt::format("\nBenchmarks compare this kernel with {}.\n", vendor);
  return fmt::format("\nBenchmarks do not compare this kernel with a library. They compare it with {}.\n",
                     vendor.substr(kNoLibrary.size()));
}

std::string work_section(const KernelDefinition& definition) {
  std::string text = "\n## Roof and reference\n";
  const bool computes = definition.flops && !is_zero(definition.flops);
  if (definition.bytes)
    text += fmt::format("\nThe kernel has to move at least `{}` bytes to and from device memory.",
                        definition.bytes->text());
  if (computes)
    text += fmt::format("\nThe kernel executes `{}` floating-point operations.", definition.flops->text());
  if (definition.bytes || computes) {
    text += fmt::format(
        "\nThe shortest possible time follows from {} and the measured {} ({}; see `warptune devices`).\n",
        definition.bytes && computes ? "these two numbers" : "this number",
        definition.bytes && computes ? "roofs" : "roof",
        !computes          ? "of memory"
        : definition.bytes ? fmt::format("of memory and of {} arithmetic", model::to_string(definition.unit))
                           : fmt::format("of {} arithmetic", model::to_string(definition.unit)));
  }
  text += check_text(definition);
  return text + comparison_text(definition.vendor);
}

}  // namespace

std::string kernel_page(const KernelDefinition& definition) {
  std::string text = fmt::format("# {}\n", definition.name);
  if (!definition.description.empty()) text += "\n" + definition.description + "\n";
  if (!definition.about.empty()) {
    text += "\n" + definition.about;
    if (text.back() != '\n') text += "\n";
  }
  text += fmt::format(
      "\nThis page was written from `{}`{} by `warptune document {}`.\n", definition.path.filename().string(),
      definition.source == definition.path ? ""
                                           : fmt::format(" and `{}`", definition.source.filename().string()),
      definition.name);
  text += problem_section(definition) + parameter_section(definition) + constraint_section(definition) +
          size_text(definition) + launch_section(definition) + argument_section(definition) +
          work_section(definition);
  return base::printable(text);
}

}  // namespace warptune::tuner::kernel_pages
