#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace warptune::kernel_templates::inspection {

/// For each function, class and macro of a text: the identifiers in its body. Functions of one name share an
/// entry. The graph is built without a parser: whatever looks like a definition counts.
using NameGraph = std::unordered_map<std::string, std::unordered_set<std::string>>;

/// Adds the definitions of a text.
void add_definitions(std::string_view text, NameGraph& graph);

/// Whether a function may read the size of its grid, itself or by what it calls. Operators count as called.
/// The result may be true for a function that does not read it, but it is never false for one that does.
bool may_read_grid(const NameGraph& graph, const std::string& function);

}  // namespace warptune::kernel_templates::inspection
