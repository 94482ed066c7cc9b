#include "fleet/campaign.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "model/encoding/json_fields.h"

namespace warptune::fleet {

namespace {

constexpr std::size_t kMaxNameLength = 64;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string Campaign::digest() const { return base::hash_hex(model::encoding::json_of(*this).dump()); }

void require_campaign_name(const std::string& name) {
  const bool fits = !name.empty() && name.size() <= kMaxNameLength && is_letter_or_digit(name.front()) &&
                    std::all_of(name.begin(), name.end(),
                                [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
  if (fits) return;
  throw base::InputError(
      fmt::format("'{}' cannot be the name of a campaign: use up to {} letters, digits, '-' and '_', and "
                  "begin with a letter or digit",
                  name, kMaxNameLength));
}

}  // namespace warptune::fleet
