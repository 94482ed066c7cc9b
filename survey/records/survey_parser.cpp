#include "survey/records/survey_parser.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/error.h"

namespace warptune::survey::records {

namespace {

using ReadJson = nlohmann::json;

constexpr std::size_t kDeepest = 8;

// Receives the events of the JSON parser. `{"launches": {"start": [1, 2]}}` is a table with a column: a list
// in an object in the file's object. All else becomes a part of the head.
class Handler {
 public:
  using number_integer_t = ReadJson::number_integer_t;
  using number_unsigned_t = ReadJson::number_unsigned_t;
  using number_float_t = ReadJson::number_float_t;
  using string_t = ReadJson::string_t;
  using binary_t = ReadJson::binary_t;

  explicit Handler(std::size_t value_limit) : values_left_(value_limit) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return number(value); }
  bool number_unsigned(number_unsigned_t value) {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      throw base::InputError(fmt::format("the number {} is too large", value));
    return number(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return false; }

  bool start_object(std::size_t) { return open(ReadJson::object()); }
  bool key(string_t& name) {
    key_ = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) {
    if (column_ == nullptr && open_.size() == 2 && is_column_list()) {
      column_ = &parsed_.tables[table_][key_];
      if (!column_->empty()) throw base::InputError(fmt::format("{}.{} is there twice", table_, key_));
      return true;
    }
    return open(ReadJson::array());
  }
  bool end_array() {
    if (column_ == nullptr) return close();
    column_->shrink_to_fit();
    column_ = nullptr;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const ReadJson::exception&) {
    throw base::InputError(
        fmt::format("expected a survey, found text that is not JSON near byte {}", position));
  }

  ParsedSurvey finish() {
    check_version(parsed_.head);
    return std::move(parsed_);
  }

 private:
  // Whether a list in the second object is a column. The run's command is the only other one.
  bool is_column_list() const { return open_[1]->is_object() && table_ != "run"; }

  bool number(std::int64_t value) {
    if (column_ == nullptr) return add(value);
    column_->push_back(value);
    return true;
  }

  bool add(ReadJson value) {
    place(std::move(value));
    if (open_.size() == 1 && key_ == "version") check_version(parsed_.head);
    return true;
  }

  bool open(ReadJson container) {
    if (open_.size() == kDeepest) throw base::InputError("expected a survey, found lists within lists");
    if (open_.size() == 1) table_ = key_;
    ReadJson* const placed = place(std::move(container));
    open_.push_back(placed);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  ReadJson* place(ReadJson value) {
    if (column_ != nullptr) throw base::InputError(fmt::format("{}.{}: expected integers", table_, key_));
    if (values_left_-- == 0) throw base::InputError("expected a survey, found too many values");
    if (open_.empty()) {
      if (!value.is_object()) throw base::InputError("expected a survey, found another JSON text");
      return &(parsed_.head = std::move(value));
    }
    ReadJson& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  // The version is checked as soon as it is known, because the rest may be in another form.
  static void check_version(const ReadJson& head) {
    if (!head.contains("format") || head["format"] != kSurveyFormat)
      throw base::InputError("expected a survey, found another JSON text");
    if (!head.contains("version") || !head["version"].is_number_integer() || head["version"] < 1)
      throw base::InputError("expected a survey with a version");
    if (head["version"] > kSurveyVersion)
      throw base::InputError(fmt::format(
          "this survey has version {}, and this warptune reads versions up to {}: use a newer warptune",
          head["version"].get<std::int64_t>(), kSurveyVersion));
  }

  ParsedSurvey parsed_;
  std::vector<ReadJson*> open_;  ///< The containers of the head that have begun and not ended.
  std::string key_;
  std::string table_;  ///< The last key of the file's object that had a container.
  std::vector<std::int64_t>* column_ = nullptr;
  std::size_t values_left_;
};

}  // namespace

ParsedSurvey parse_survey(std::string_view text, std::size_t value_limit) {
  Handler handler(value_limit);
  if (!ReadJson::sax_parse(text.begin(), text.end(), &handler))
    throw base::InputError("expected a survey, found another JSON text");
  return handler.finish();
}

}  // namespace warptune::survey::records
