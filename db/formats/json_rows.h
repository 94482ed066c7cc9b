#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "db/recordings/values_json.h"

namespace warptune::db::formats {

/// The rest of a JSON object after its rows were handled.
struct JsonRemainder {
  recordings::Json members =
      recordings::Json::object();  ///< The members of the outermost object, without those that had rows.
  bool cut_off = false;            ///< The text ended before the object did.
  std::string complaint;           ///< The parser's message if the text is cut off.
};

/// Receives one row. `section` is the member of the outermost object that has the row. `name` is the row's
/// own name in it, empty in an array. `members` are those that were read before the row.
using RowHandler = std::function<void(std::string_view section, const std::string& name,
                                      recordings::Json& row, const recordings::Json& members)>;

/// Reads a JSON object. The rows are in its members that `sections` names: each of these is an array or an
/// object of objects, and each of those is a row. A row is given to `handle` as soon as it is complete, so a
/// large file is never a whole tree in memory.
/// The tokens `NaN` and `Infinity`, which Python writes, are read as null.
///
/// Throws `base::InputError` with `path` if the text is not a JSON object, or if it has more than 64 levels.
/// A text that only ends too early is not an error: `cut_off` is set.
JsonRemainder read_json_rows(std::string text, const std::filesystem::path& path,
                             std::span<const std::string_view> sections, const RowHandler& handle);

/// A number, or the number that a text has; NaN for anything else.
double number_or_nan(const recordings::Json& json);

/// The same number, or 0 if it is not positive and finite.
double number_or_zero(const recordings::Json& json);

/// The integer part, clamped to the range of 64 bits; 0 for NaN.
std::int64_t whole_number(double number);

/// A member of an object; null if it does not exist.
const recordings::Json& member_or_null(const recordings::Json& object, const char* name);

/// A text; empty for anything else.
std::string text_or_empty(const recordings::Json& json);

/// All numbers of an array and of the arrays in it, in order, each multiplied by `factor`.
std::vector<double> flat_numbers(const recordings::Json& json, double factor);

}  // namespace warptune::db::formats
