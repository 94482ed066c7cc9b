#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "db/recordings/values_json.h"

namespace warptune::db::formats {

/// What is left of a JSON object when its rows were handed on.
struct JsonRemainder {
  recordings::Json members =
      recordings::Json::object();  ///< Of the outermost object, those with rows left out.
  bool cut_off = false;            ///< The text ended before the object did.
  std::string complaint;           ///< The parser's words where it is cut off.
};

/// One row: the member of the outermost object it stands in, its own name there (empty in an array), the row,
/// and the members read before it.
using RowHandler = std::function<void(std::string_view section, const std::string& name,
                                      recordings::Json& row, const recordings::Json& members)>;

/// Reads a JSON object whose members named in `sections` hold objects, in an object or an array, and hands
/// each of those on as soon as it is complete, so that a large file is never a whole tree in memory. The
/// tokens `NaN` and `Infinity`, which Python writes, read as null. Throws `base::InputError` naming `path`
/// when the text is no JSON object or nested in more than 64 levels; a text that merely ends too early is
/// told by `cut_off`.
JsonRemainder read_json_rows(std::string text, const std::filesystem::path& path,
                             std::span<const std::string_view> sections, const RowHandler& handle);

/// A number, or the number a text spells; NaN for all else.
double number_or_nan(const recordings::Json& json);

/// The same, 0 for what is no positive finite number.
double number_or_zero(const recordings::Json& json);

/// Its whole part, held to what 64 bits can say; 0 for NaN.
std::int64_t whole_number(double number);

/// A member of an object; null where there is none.
const recordings::Json& member_or_null(const recordings::Json& object, const char* name);

/// A text; empty for all else.
std::string text_or_empty(const recordings::Json& json);

/// All numbers of an array and the arrays in it, in order, times `factor`.
std::vector<double> flat_numbers(const recordings::Json& json, double factor);

}  // namespace warptune::db::formats
