// Reads a JSON object row by row.
//
// The parser calls a `Splitter` for each event. A row is complete when an object at depth 2 ends. The
// callback handles the row and returns false, so that the parser discards it. Only one row and the members
// without rows are in memory at a time. Limits of depth and of values per row protect against hostile files.
// A file that a tuner is still writing ends too early; its complete rows have been handled by then.
#include "db/formats/json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "db/recordings/json_error.h"
#include "model/fields.h"

namespace warptune::db::formats {

namespace {

// Python writes these tokens, which JSON does not allow.
constexpr std::string_view kPythonTokens[] = {"NaN", "-Infinity", "Infinity"};

bool has_python_token(const std::string& text) {
  return std::any_of(std::begin(kPythonTokens), std::end(kPythonTokens),
                     [&](std::string_view token) { return text.find(token) != std::string::npos; });
}

// Replaces the tokens of Python by null, except within strings.
std::string replace_nan_by_null(std::string text) {
  if (!has_python_token(text)) return text;
  std::string clean;
  clean.reserve(text.size() + text.size() / 8);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size()) {
      clean.append(text, i, 2);
      i += 2;
      continue;
    }
    if (c == '"') quoted = !quoted;
    const auto token = std::find_if(
        std::begin(kPythonTokens), std::end(kPythonTokens),
        [&](std::string_view wanted) { return !quoted && text.compare(i, wanted.size(), wanted) == 0; });
    if (token != std::end(kPythonTokens)) {
      clean += "null";
      i += token->size();
      continue;
    }
    clean += c;
    ++i;
  }
  return clean;
}

std::size_t size_without_blanks(const std::string& text) {
  std::size_t size = text.size();
  while (size > 0 && std::isspace(static_cast<unsigned char>(text[size - 1])) != 0) --size;
  return size;
}

// The callback of nlohmann's parser, which is called for each event. Depth 1 has the members of the outermost
// object, and depth 2 the items of these members.
class Splitter {
 public:
  Splitter(std::span<const std::string_view> sections, const RowHandler& handle)
      : sections_(sections), handle_(handle) {}

  bool operator()(int depth, recordings::Json::parse_event_t event, recordings::Json& parsed) {
    using Event = recordings::Json::parse_event_t;
    if (++values_ > recordings::kMaxJsonValues) recordings::refuse_large_json();
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= recordings::kMaxJsonDepth) recordings::refuse_deep_json();
    if (event == Event::key) {
      if (depth == 1) enter(parsed.get<std::string>());
      if (depth == 2 && with_rows_) name_ = parsed.get<std::string>();
      return true;
    }
    if (depth == 2 && event == Event::object_start && with_rows_) is_in_row_ = true;
    if (depth == 2 && event == Event::object_end && with_rows_) {
      is_in_row_ = false;
      handle_(section_, name_, parsed, members_);
      values_ = 0;
      return false;
    }
    const bool complete = event == Event::value || event == Event::array_end || event == Event::object_end;
    if (depth == 1 && complete && !with_rows_) members_[section_] = parsed;
    return true;
  }

  recordings::Json& members() { return members_; }
  std::vector<std::string>& sections_found() { return sections_found_; }
  bool is_in_row() const { return is_in_row_; }

 private:
  void enter(std::string section) {
    section_ = std::move(section);
    name_.clear();
    with_rows_ = std::find(sections_.begin(), sections_.end(), section_) != sections_.end();
    if (with_rows_) sections_found_.push_back(section_);
  }

  std::span<const std::string_view> sections_;
  const RowHandler& handle_;
  recordings::Json members_ = recordings::Json::object();
  std::string section_;
  std::string name_;
  std::vector<std::string> sections_found_;
  bool with_rows_ = false;
  bool is_in_row_ = false;
  int values_ = 0;  ///< The number of values since the previous row.
};

}  // namespace

JsonRemainder read_json_rows(std::string text, const std::filesystem::path& path,
                             std::span<const std::string_view> sections, const RowHandler& handle) {
  text = replace_nan_by_null(std::move(text));
  JsonRemainder remainder;
  Splitter splitter(sections, handle);
  try {
    // The parser copies its callback, so the callback only refers to the splitter.
    const recordings::Json root = recordings::Json::parse(
        text, [&](int depth, recordings::Json::parse_event_t event, recordings::Json& parsed) {
          return splitter(depth, event, parsed);
        });
    if (!root.is_object()) {
      throw base::InputError("expected a JSON object, found " + std::string(root.type_name()),
                             {path.string(), 0, 0});
    }
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t size = size_without_blanks(text);
    remainder.cut_off = error.byte >= size;
    // Between two rows, a text that is still being written ends with one of these signs.
    const bool ends_between_rows =
        size > 0 && std::string_view("{[,}]").find(text[size - 1]) != std::string_view::npos;
    remainder.cut_off_in_row = remainder.cut_off && (splitter.is_in_row() || !ends_between_rows);
    const recordings::JsonErrorText complaint = recordings::describe_error(error);
    remainder.complaint =
        fmt::format("{} (line {}, column {})", complaint.text, complaint.line, complaint.column);
    if (!remainder.cut_off || splitter.members().empty())
      recordings::refuse_json(error, {path.string(), 0, 0});
  } catch (const nlohmann::json::exception& error) {
    recordings::refuse_json(error, {path.string(), 0, 0});
  } catch (const base::InputError& error) {
    if (!error.position().file.empty()) throw;
    throw base::InputError(error.what(), {path.string(), 0, 0});
  }
  remainder.members = std::move(splitter.members());
  remainder.sections = std::move(splitter.sections_found());
  return remainder;
}

std::optional<double> numeric_value(const recordings::Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    const auto value =
        model::parse_value(base::trim(json.get_ref<const std::string&>()), model::ValueType::kReal);
    if (value) return model::from_nan(std::get<double>(*value));
  }
  return std::nullopt;
}

double number_or_zero(const recordings::Json& json) {
  const std::optional<double> number = numeric_value(json);
  return number > 0.0 && std::isfinite(*number) ? *number : 0.0;
}

std::int64_t whole_number(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (std::isnan(number)) return 0;
  if (number >= kBeyond) return std::numeric_limits<std::int64_t>::max();
  if (number < -kBeyond) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

const recordings::Json& member_or_null(const recordings::Json& object, const char* name) {
  static const recordings::Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(name);
  return found == object.end() ? null : *found;
}

std::string text_or_empty(const recordings::Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}

std::vector<double> flat_numbers(const recordings::Json& json, double factor) {
  std::vector<double> numbers;
  if (json.is_array()) {
    for (const recordings::Json& item : json) {
      const std::vector<double> inner = flat_numbers(item, factor);
      numbers.insert(numbers.end(), inner.begin(), inner.end());
    }
  } else if (json.is_number()) {
    numbers.push_back(json.get<double>() * factor);
  }
  return numbers;
}

}  // namespace warptune::db::formats
