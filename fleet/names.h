// Which texts may be names of campaigns and ids of nodes. A store checks what it is given, and what it reads:
// somebody else may have written it.
#pragma once

#include <string>
#include <string_view>

namespace warptune::fleet {

/// 1 to 64 letters, digits, `-` and `_`, beginning with a letter or digit.
bool is_campaign_name(std::string_view name);
/// Throws `base::InputError` unless the text may be the name of a campaign.
void require_campaign_name(std::string_view name);

/// Throws `base::InputError` unless the text may be the name under which people see a node: at most 64 bytes
/// of UTF-8 without control characters. An empty name is allowed. It means the name of the machine.
void require_node_name(std::string_view name);

/// 1 to 64 letters, digits, `-` and `_`.
bool is_node_id(std::string_view id);
/// Throws `base::InputError` unless the text may be the id of a node.
void require_node_id(std::string_view id);

}  // namespace warptune::fleet
