// The sizes of a [[tune]] table.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "model/value.h"

namespace warptune::tuner::campaigns {

/// One choice of sizes, and where it is written.
struct ListedSizes {
  model::NamedValues sizes;
  base::SourcePosition position;
};

/// Reads the sizes under `key`: a table of values and lists, of which all combinations are returned, or a
/// list of such tables. A text such as `64..8192 log2` or `64..8192 step 64` is a list. A missing key is one
/// choice without sizes. Throws `base::InputError` for another form, and for more than `limit` choices.
std::vector<ListedSizes> read_sizes(const kernel_templates::definition::TableReader& table,
                                    std::string_view key, std::size_t limit);

/// The values of `A..B log2` (A, 2 A, 4 A, ... up to B) or of `A..B step S`. Throws `base::InputError` at
/// `where` for a text that has two dots and is neither.
std::vector<model::Value> range_values(std::string_view text, std::size_t limit,
                                       const base::SourcePosition& where);

}  // namespace warptune::tuner::campaigns
