#include "fleet/spool/cursor.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/error.h"
#include "fleet/spool/task_file.h"

namespace warptune::fleet::spool {

namespace {

constexpr std::string_view kPrefix = "spool:";

}  // namespace

std::string to_string(const Cursor& cursor) {
  std::vector<std::string> parts;
  for (const auto& [name, position] : cursor)
    parts.push_back(fmt::format("{}={}.{}", name, position.entry, position.last));
  return fmt::format("{}{}", kPrefix, fmt::join(parts, ","));
}

Cursor parse_cursor(const std::string& text) {
  Cursor cursor;
  if (text.empty() || text == kPrefix) return cursor;
  const auto refuse = [&] {
    throw base::InputError(fmt::format("'{}' is not a position in the batches of a spool", text));
  };
  if (text.compare(0, kPrefix.size(), kPrefix) != 0) refuse();
  for (const std::string_view part : parts_of(std::string_view(text).substr(kPrefix.size()), ',')) {
    const std::vector<std::string_view> sides = parts_of(part, '=');
    if (sides.size() != 2) refuse();
    const std::vector<std::string_view> position = parts_of(sides[1], '.');
    const auto entry = position.size() == 2 ? parse_number(position[0]) : std::nullopt;
    if (!entry) refuse();
    cursor[std::string(sides[0])] = {*entry, std::string(position[1])};
  }
  return cursor;
}

}  // namespace warptune::fleet::spool
