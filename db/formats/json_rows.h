#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/recordings/values_json.h"

namespace warptune::db::formats {

/// What remains of a JSON object after its rows were handled.
struct JsonRemainder {
  recordings::Json members =
      recordings::Json::object();     ///< The members of the outermost object, without those that had rows.
  std::vector<std::string> sections;  ///< The members that may have rows, in the text's order.
  bool cut_off = false;               ///< The text ended before the object did.
  bool cut_off_in_row = false;        ///< The text ended within a row.
  std::string complaint;              ///< The parser's message if the text is cut off.
};

/// Receives one row. `section` is the name of the member that contains the row. `name` is the row's name in
/// this member; it is empty if the member is an array. `members` are the members without rows that came
/// before.
using RowHandler = std::function<void(std::string_view section, const std::string& name,
                                      recordings::Json& row, const recordings::Json& members)>;

/// Reads a JSON object whose rows are in the members that `sections` names. Each of these members is an array
/// or an object, and each object in it is a row. A row is given to `handle` as soon as it is complete, so a
/// large file is never in memory as one tree. The tokens `NaN` and `Infinity`, which Python writes, are read
/// as null.
///
/// Throws `base::InputError` with `path` if the text is not a JSON object, or if it has more than 64 levels.
/// If the text only ends too early, the function does not throw but sets `cut_off`.
JsonRemainder read_json_rows(std::string text, const std::filesystem::path& path,
                             std::span<const std::string_view> sections, const RowHandler& handle);

/// The value of a number, or of a text that consists of a number. No value for anything else.
std::optional<double> numeric_value(const recordings::Json& json);

/// The result of `numeric_value`, or 0 if it is not positive and finite.
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
