#include "bench/exports/case_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

#include "base/error.h"
#include "kernel_templates/argument_data.h"

namespace warptune::bench {

namespace {

using kernel_templates::ArgumentKind;
using kernel_templates::KernelInstance;
using kernel_templates::ResolvedArgument;

const char* kind_text(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::kIn:
      return "in";
    case ArgumentKind::kOut:
      return "out";
    case ArgumentKind::kInOut:
      return "inout";
    case ArgumentKind::kScratch:
      return "scratch";
    case ArgumentKind::kScalar:
      return "scalar";
    case ArgumentKind::kTensorMap:
      return "map";
    case ArgumentKind::kTexture:
      break;
  }
  throw base::InputError("textures have no case");
}

std::string list(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

std::string scalar_text(const ResolvedArgument& argument) {
  if (argument.kind != ArgumentKind::kScalar) return "{}";
  std::vector<int> bytes;
  for (const std::byte byte : kernel_templates::scalar_bytes(argument))
    bytes.push_back(std::to_integer<int>(byte));
  return fmt::format("{{{}}}", fmt::join(bytes, ", "));
}

std::string argument_line(const KernelInstance& instance, const ResolvedArgument& argument,
                          const kernel_templates::CompiledKernel& compiled) {
  const kernel_templates::DataTypeInfo& type = kernel_templates::info(argument.type);
  std::vector<std::int64_t> pitch = argument.tensor_map.pitch;
  for (std::int64_t& elements : pitch) elements *= static_cast<std::int64_t>(type.size_bytes);
  const kernel_templates::Tolerance tolerance = instance.tolerance(argument.type);
  const bool is_buffer = argument.is_buffer();
  return fmt::format(
      "      {{\"{}\", Kind::{}, \"{}\", {}u, {}, \"{}\", {}, {}, {}, {}, {}, {}, {}, {:e}, {:e}}},\n",
      argument.name, kind_text(argument.kind), type.name, is_buffer ? argument.bytes() : 0, argument.zeroed,
      argument.symbol.empty() ? "" : compiled.find_variable(kernel_templates::variable_of(argument.symbol)),
      scalar_text(argument), argument.tensor_map.buffer, argument.tensor_map.encoded,
      list(argument.tensor_map.shape), list(pitch), list(argument.tensor_map.box),
      argument.tensor_map.swizzle_bytes, tolerance.absolute, tolerance.relative);
}

std::string launch_line(const kernel_templates::LaunchStep& launch,
                        const kernel_templates::CompiledKernel& compiled) {
  return fmt::format("      {{\"{}\", {{{}}}, {{{}}}, {{{}}}, {}, {}}},\n",
                     compiled.find_entry(launch.entry).lowered_name, fmt::join(launch.grid, ", "),
                     fmt::join(launch.block, ", "), fmt::join(launch.cluster, ", "), launch.shared_bytes,
                     launch.cooperative);
}

// The arguments that a caller passes to the exported `launch`, or to `set_symbols` if `of_symbols`.
std::string call_arguments(const KernelInstance& instance, const std::vector<ResolvedArgument>& arguments,
                           bool of_symbols) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ResolvedArgument& argument = arguments[i];
    const std::string_view type = kernel_templates::info(argument.type).cuda_name;
    if (argument.symbol.empty() == of_symbols) continue;
    if (argument.kind == ArgumentKind::kIn) text += fmt::format(", static_cast<const {}*>(p[{}])", type, i);
    if (argument.kind == ArgumentKind::kOut || argument.kind == ArgumentKind::kInOut)
      text += fmt::format(", static_cast<{}*>(p[{}])", type, i);
    const auto& value = instance.definition().arguments[i].value;
    if (argument.kind == ArgumentKind::kScalar && value->variables().empty())
      text += fmt::format(", {}", model::to_text(argument.scalar));
  }
  return text;
}

std::string problem_text(const model::NamedValues& problem) {
  std::string text;
  for (const auto& [name, value] : problem) {
    const bool is_text = model::type_of(value) == model::ValueType::kText;
    text += fmt::format("  problem.{0} = {1};\n", name,
                        is_text ? fmt::format("exported::{}_of(\"{}\")", name, model::to_text(value))
                                : model::to_text(value));
  }
  return text;
}

}  // namespace

std::string case_text(const KernelInstance& instance, const model::NamedValues& configuration,
                      const std::vector<ResolvedArgument>& arguments,
                      const kernel_templates::CompiledKernel& compiled) {
  const std::string& name = instance.definition().name;
  const model::Outcome<kernel_templates::LaunchPlan> plan = instance.launch_plan(configuration);
  if (!plan) throw base::InputError(plan.error().reason);
  std::string lines;
  for (const ResolvedArgument& argument : arguments) lines += argument_line(instance, argument, compiled);
  std::string launches;
  for (const kernel_templates::PlanStep& step : plan->steps)
    launches += launch_line(*step.launch(), compiled);
  const std::string symbols = call_arguments(instance, arguments, true);
  std::string text = fmt::format("#include \"{0}.cuh\"\n#include \"run_case.cuh\"\n\n", name);
  text += fmt::format("namespace exported = warptune_{};\n\n", name);
  text += "int main(int argc, char** argv) {\n  using exported_case::Kind;\n  exported::Problem problem;\n";
  text += problem_text(instance.problem());
  text +=
      fmt::format("  const exported_case::Case one{{\"{}\", {},\n    {{\n{}    }},\n    {{\n{}    }}}};\n",
                  name, instance.is_nondeterministic(configuration), lines, launches);
  text += fmt::format(
      "  const auto launch = [&](cudaStream_t stream, const std::vector<void*>& p, void* workspace, "
      "std::size_t size) {{\n"
      "    return exported::launch(stream, problem{}, workspace, size);\n  }};\n",
      call_arguments(instance, arguments, false));
  text += fmt::format(
      "  const auto prepare = [&](cudaStream_t stream, const std::vector<void*>& p) {{\n"
      "    static_cast<void>(stream);\n    static_cast<void>(p);\n    return {};\n  }};\n",
      symbols.empty() ? "cudaSuccess" : fmt::format("exported::set_symbols(stream, problem{})", symbols));
  return text +
         "  return exported_case::run(one, argc > 1 ? argv[1] : \".\", launch, prepare,\n"
         "                            exported::workspace_bytes(problem), [] { return "
         "exported::launch_error(); });\n}\n";
}

}  // namespace warptune::bench
