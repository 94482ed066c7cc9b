#include "fleet/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/text.h"

namespace warptune::fleet {

namespace {

constexpr std::size_t kMaxLength = 64;

// A letter or digit of ASCII, whatever the locale is.
bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_node_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxLength && std::all_of(id.begin(), id.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_';
  });
}

bool is_campaign_name(std::string_view name) { return is_node_id(name) && is_letter_or_digit(name.front()); }

void require_campaign_name(std::string_view name) {
  if (is_campaign_name(name)) return;
  throw base::InputError(
      fmt::format("'{}' cannot be the name of a campaign: use up to {} letters, digits, '-' and '_', and "
                  "begin with a letter or digit",
                  name, kMaxLength));
}

void require_node_name(std::string_view name) {
  if (name.size() <= kMaxLength && base::printable_line(name) == name) return;
  throw base::InputError(
      fmt::format("'{}' cannot be the name of a node: use at most {} bytes of text without line breaks and "
                  "other control characters",
                  base::printable_line(name.substr(0, kMaxLength)), kMaxLength));
}

void require_node_id(std::string_view id) {
  if (is_node_id(id)) return;
  throw base::InputError(fmt::format(
      "'{}' cannot be the id of a node: use up to {} letters, digits, '-' and '_'", id, kMaxLength));
}

}  // namespace warptune::fleet
