// Reads what a launch passes to its kernel, if it does not pass all arguments in order.
#include "kernel_templates/definition/passed_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernel_templates/definition/definition_sections.h"

namespace warptune::kernel_templates::definition {

namespace {

// Returns `name`. Throws if the definition has no argument of this name.
std::string checked_name(const std::string& name, const KernelDefinition& definition,
                         const TableReader& launch) {
  std::vector<std::string> names;
  for (const Argument& argument : definition.arguments) names.push_back(argument.name);
  if (std::find(names.begin(), names.end(), name) == names.end())
    launch.fail("arguments",
                fmt::format("names among {}; '{}' is not one of them", fmt::join(names, ", "), name));
  return name;
}

// Reads an element of the list `arguments` that is a table. `launch` is the table with this list.
HostArgument read_passed_table(const TableReader& table, const KernelDefinition& definition,
                               const TableReader& launch) {
  HostArgument argument;
  argument.value = table.expression("value");
  if (argument.value) {
    table.allow_only({"value", "type"});
    argument.type = table.required_text("type");
    const model::Value* entry = model::find(definition.problem, argument.type);
    if (!parse_data_type(entry == nullptr ? argument.type : model::to_text(*entry)))
      table.fail("type", "a data type such as i32, or a problem entry that names one");
    return argument;
  }
  table.allow_only({"name", "offset"});
  argument.name = checked_name(table.required_text("name"), definition, launch);
  argument.offset = table.expression("offset");
  const auto found = std::find_if(definition.arguments.begin(), definition.arguments.end(),
                                  [&](const Argument& one) { return one.name == argument.name; });
  if (argument.offset && !found->is_buffer())
    table.fail("offset", "no such key: the argument is not a buffer");
  return argument;
}

}  // namespace

std::optional<std::vector<HostArgument>> read_passed_arguments(const TableReader& table,
                                                               const KernelDefinition& definition) {
  const toml::node* list = table.node("arguments");
  if (list == nullptr) return std::nullopt;
  constexpr const char* kExpected = "a list of names and of tables { name, offset } or { value, type }";
  if (!list->is_array()) table.fail("arguments", kExpected);
  std::vector<HostArgument> arguments;
  for (const toml::node& element : *list->as_array()) {
    if (element.is_string()) {
      arguments.push_back({checked_name(element.ref<std::string>(), definition, table), {}, {}, {}});
    } else if (element.is_table()) {
      const TableReader row(element.as_table(), table.name_of("arguments"), table.file());
      arguments.push_back(read_passed_table(row, definition, table));
    } else {
      table.fail("arguments", kExpected);
    }
  }
  return arguments;
}

void check_passed_arguments(const std::vector<HostArgument>& arguments,
                            const std::vector<std::string>& known) {
  for (const HostArgument& argument : arguments) {
    if (argument.offset) check_expression(*argument.offset, known, "the offset");
    if (argument.value) check_expression(*argument.value, known, "the value");
  }
}

}  // namespace warptune::kernel_templates::definition
