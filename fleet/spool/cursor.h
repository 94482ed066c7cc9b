// How far a reader has come in the logs of all campaigns of a spool.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace warptune::fleet::spool {

/// The next entry of each campaign's log; a campaign that is not in it begins with entry 0.
using Cursor = std::map<std::string, std::uint64_t>;

/// `spool:NAME=ENTRY,NAME=ENTRY`.
std::string to_string(const Cursor& cursor);
/// Reads such a text, or an empty one. Throws `base::InputError` for any other.
Cursor parse_cursor(const std::string& text);

}  // namespace warptune::fleet::spool
