// How far a reader has come in the logs of all campaigns of a spool.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace warptune::fleet::spool {

/// How far a reader has come in the log of a campaign.
struct LogPosition {
  std::uint64_t entry = 0;  ///< The next one.
  /// The digest of the batch before it, so that a log with other batches is recognised: that of a spool that
  /// was restored. Empty for entry 0, `-` if that batch is damaged.
  std::string last{};

  bool operator==(const LogPosition&) const = default;
};

/// The position in each campaign's log; a campaign that is not in it begins with entry 0.
using Cursor = std::map<std::string, LogPosition>;

/// `spool:NAME=ENTRY.LAST,NAME=ENTRY.LAST`.
std::string to_string(const Cursor& cursor);
/// Reads such a text, or an empty one. Throws `base::InputError` for any other.
Cursor parse_cursor(const std::string& text);

}  // namespace warptune::fleet::spool
