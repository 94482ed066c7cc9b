// Reads what a launch passes to its kernel, if it does not pass all arguments in order.
#include "kernel_templates/definition/passed_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>

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

// The size of what a member of a struct writes.
std::int64_t member_bytes(const HostArgument& member, const KernelDefinition& definition) {
  constexpr std::int64_t kAddressBytes = 8;
  if (!member.value) return kAddressBytes;
  const model::Value* entry = model::find(definition.problem, member.type);
  return static_cast<std::int64_t>(
      info(*parse_data_type(entry == nullptr ? member.type : model::to_text(*entry))).size_bytes);
}

HostArgument read_passed_table(const TableReader& table, const KernelDefinition& definition,
                               const TableReader& launch, bool is_member);

// The parameters of a kernel have at most 32764 bytes (CUDA C++ Programming Guide, "__global__ Function
// Argument Processing").
constexpr std::int64_t kMaxStructBytes = 32764;

void read_members(const TableReader& table, const KernelDefinition& definition, const TableReader& launch,
                  HostArgument& argument) {
  argument.struct_bytes = *table.integer("struct");
  if (argument.struct_bytes < 1 || argument.struct_bytes > kMaxStructBytes)
    table.fail("struct", fmt::format("the bytes of the struct, from 1 to {}", kMaxStructBytes));
  std::int64_t end = 0;
  for (const TableReader& row : table.tables("members")) {
    HostArgument member = read_passed_table(row, definition, launch, true);
    const std::int64_t bytes = member_bytes(member, definition);
    if (member.at < end || member.at > argument.struct_bytes - bytes)
      row.fail("at", fmt::format("{} bytes of the struct after those of the member before, which end at {}; "
                                 "the struct has {}",
                                 bytes, end, argument.struct_bytes));
    end = member.at + bytes;
    argument.members.push_back(std::move(member));
  }
}

// Reads an element of the list `arguments`, or a member of a struct in it, that is a table. `launch` is the
// table with this list.
HostArgument read_passed_table(const TableReader& table, const KernelDefinition& definition,
                               const TableReader& launch, bool is_member) {
  std::vector<std::string> known;
  if (is_member) known.emplace_back("at");
  const auto allow = [&](const std::vector<std::string>& keys) {
    known.insert(known.end(), keys.begin(), keys.end());
    table.allow_only(known);
  };
  HostArgument argument;
  if (is_member) {
    const std::optional<std::int64_t> at = table.integer("at");
    if (!at) table.fail("at", "the place of the member in the struct, in bytes");
    argument.at = *at;
  }
  if (!is_member && table.node("struct") != nullptr) {
    allow({"struct", "members"});
    read_members(table, definition, launch, argument);
    return argument;
  }
  argument.value = table.expression("value");
  if (argument.value) {
    allow({"value", "type"});
    argument.type = table.required_text("type");
    const model::Value* entry = model::find(definition.problem, argument.type);
    if (!parse_data_type(entry == nullptr ? argument.type : model::to_text(*entry)))
      table.fail("type", "a data type such as i32, or a problem entry that names one");
    return argument;
  }
  allow({"name", "offset"});
  argument.name = checked_name(table.required_text("name"), definition, launch);
  argument.offset = table.expression("offset");
  const auto found = std::find_if(definition.arguments.begin(), definition.arguments.end(),
                                  [&](const Argument& one) { return one.name == argument.name; });
  if (argument.offset && !found->is_buffer())
    table.fail("offset", "no such key: the argument is not a buffer");
  if (is_member && !found->is_buffer())
    table.fail("name", "a buffer, whose address the struct has; give numbers by value and type");
  return argument;
}

}  // namespace

std::optional<std::vector<HostArgument>> read_passed_arguments(const TableReader& table,
                                                               const KernelDefinition& definition) {
  const toml::node* list = table.node("arguments");
  if (list == nullptr) return std::nullopt;
  constexpr const char* kExpected =
      "a list of names and of tables { name, offset }, { value, type } or { struct, members }";
  if (!list->is_array()) table.fail("arguments", kExpected);
  std::vector<HostArgument> arguments;
  for (const toml::node& element : *list->as_array()) {
    if (element.is_string()) {
      arguments.emplace_back().name = checked_name(element.ref<std::string>(), definition, table);
    } else if (element.is_table()) {
      const TableReader row(element.as_table(), table.name_of("arguments"), table.file());
      arguments.push_back(read_passed_table(row, definition, table, false));
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
    check_passed_arguments(argument.members, known);
  }
}

}  // namespace warptune::kernel_templates::definition
