#include "tuner/kernel_pages/kernel_page_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel_pages/kernel_page_steps.h"
#include "tuner/text_output/markdown.h"

namespace warptune::tuner::kernel_pages {

using kernel_templates::Argument;
using kernel_templates::ArgumentKind;
using kernel_templates::InitialiserKind;
using kernel_templates::KernelDefinition;

namespace {

std::string contents_of(const Argument& argument) {
  const auto& init = argument.init;
  if (argument.kind != ArgumentKind::kIn && argument.kind != ArgumentKind::kInOut) return "";
  switch (init.kind) {
    case InitialiserKind::kUniform:
      return fmt::format("uniform in [{:g}, {:g}]", init.first, init.second);
    case InitialiserKind::kNormal:
      return fmt::format("normal, mean {:g}, deviation {:g}", init.first, init.second);
    case InitialiserKind::kIota:
      return fmt::format("{:g}, {:g}, ...", init.first, init.first + init.second);
    case InitialiserKind::kConstant:
      return fmt::format("{:g}", init.first);
    case InitialiserKind::kFile:
      return init.path.filename().string();
    case InitialiserKind::kExpression:
      return "`" + init.value->text() + "`";
    default:
      return fmt::format("ascending from 0 to `{}`, with steps proportional to `{}`", init.total->text(),
                         init.value->text());
  }
}

std::string kind_text(const Argument& argument) {
  switch (argument.kind) {
    case ArgumentKind::kIn:
      return argument.symbol.empty() ? "in" : fmt::format("in, variable `{}`", argument.symbol);
    case ArgumentKind::kOut:
      return "out";
    case ArgumentKind::kInOut:
      return "in and out";
    case ArgumentKind::kScratch:
      return argument.zeroed ? "scratch, zeroed" : "scratch";
    case ArgumentKind::kScalar:
      return "scalar";
    case ArgumentKind::kTexture:
      return "texture";
    default:
      return "tensor map";
  }
}

std::string texture_text(const kernel_templates::Texture& texture) {
  if (!texture.width) return texture.of;
  return fmt::format("{}: {} x {}", texture.of, texture.width->text(), texture.height->text());
}

bool uses_names_of_element(const model::Expression& value) {
  return std::ranges::any_of(value.variables(),
                             [](const std::string& name) { return name == "i" || name == "u"; });
}

// The rows of the buffer if they are padded, where it is, and what holds for its pages while it is in managed
// memory.
std::string memory_text(const Argument& argument) {
  std::string text;
  const auto add = [&](const char* what, const std::optional<model::Expression>& expression) {
    if (expression) text += fmt::format(", {} {}", what, text_output::markdown_code(expression->text()));
  };
  add("width", argument.width);
  add("pitch", argument.pitch);
  add("memory", argument.memory);
  add("residency", argument.managed.residency);
  add("read mostly", argument.managed.read_mostly);
  add("preferred location", argument.managed.preferred_location);
  add("accessed by", argument.managed.accessed_by);
  return text;
}

}  // namespace

std::string argument_section(const KernelDefinition& definition) {
  std::string text = "\n## Arguments\n\nThe kernel receives these arguments in this order.\n\n" +
                     text_output::markdown_head(
                         {"argument", "kind", "type", "elements, or value of a scalar", "initial contents"});
  bool uses_element = false;
  for (const Argument& argument : definition.arguments) {
    std::string extent = argument.count   ? argument.count->text()
                         : argument.value ? argument.value->text()
                                          : "";
    if (argument.tensor_map)
      extent = fmt::format("{}: shape [{}], box [{}]", argument.tensor_map->of,
                           texts_of(argument.tensor_map->shape), texts_of(argument.tensor_map->box));
    if (argument.texture) extent = texture_text(*argument.texture);
    std::string kind = kind_text(argument);
    kind += memory_text(argument);
    if (argument.init.value && uses_names_of_element(*argument.init.value)) uses_element = true;
    text += text_output::markdown_row(
        {text_output::markdown_code(argument.name), kind, text_output::markdown_code(argument.type),
         text_output::markdown_code(extent), text_output::markdown_cell(contents_of(argument))});
  }
  if (uses_element)
    text += "\nIn initial contents, `i` is the index of the element, and `u` is a random number in [0, 1).\n";
  return text;
}

}  // namespace warptune::tuner::kernel_pages
