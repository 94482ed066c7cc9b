#include "kernel_templates/definition/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "base/text.h"
#include "kernel_templates/definition/reserved_names.h"

namespace warptune::kernel_templates::definition {

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw base::InputError(fmt::format("malformed TOML: {}", error.description()),
                           {file, static_cast<int>(at.line), static_cast<int>(at.column)});
  }
}

base::SourcePosition position_of(const toml::node& node, const std::string& file) {
  const toml::source_region& region = node.source();
  const toml::source_position at = region.begin;
  return {region.path ? *region.path : file, static_cast<int>(at.line), static_cast<int>(at.column)};
}

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return fmt::format("the text \"{}\"", node.ref<std::string>());
    case toml::node_type::integer:
      return fmt::format("the integer {}", node.ref<std::int64_t>());
    case toml::node_type::floating_point:
      return fmt::format("the real {}", node.ref<double>());
    case toml::node_type::boolean:
      return node.ref<bool>() ? "true" : "false";
    default:
      return "a date or time";
  }
}

std::optional<model::Value> scalar_of(const toml::node& node) {
  if (node.is_boolean()) return model::Value(node.ref<bool>());
  if (node.is_integer()) return model::Value(node.ref<std::int64_t>());
  if (node.is_floating_point()) return model::Value(node.ref<double>());
  if (node.is_string()) return model::Value(node.ref<std::string>());
  return std::nullopt;
}

namespace {

// The column of the `offset`-th character of a one-line string. In a basic string, `\"` and `\\` take two
// columns. Returns the string's own column if other escapes or quotes make the result unknown.
int column_inside(const toml::node& node, const std::string& text, std::size_t offset) {
  const toml::source_region& region = node.source();
  const auto start = static_cast<int>(region.begin.column);
  const auto width = static_cast<std::size_t>(region.end.column - region.begin.column);
  const auto escapes = [](std::string_view part) {
    return static_cast<std::size_t>(
        std::count_if(part.begin(), part.end(), [](char c) { return c == '"' || c == '\\'; }));
  };
  if (region.begin.line != region.end.line) return start;
  if (width == text.size() + 2) return start + 1 + static_cast<int>(offset);
  if (width != text.size() + 2 + escapes(text)) return start;
  return start + 1 + static_cast<int>(offset + escapes(std::string_view(text).substr(0, offset)));
}

}  // namespace

std::optional<model::Value> value_like(const toml::node& node, const model::Value& like) {
  std::optional<model::Value> value = scalar_of(node);
  if (value && model::type_of(like) == model::ValueType::kReal && node.is_integer())
    value = model::to_number(*value).value();
  if (value && model::type_of(*value) != model::type_of(like)) value.reset();
  return value;
}

namespace {

bool is_identifier(std::string_view name) {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::all_of(name.begin(), name.end(), word);
}

}  // namespace

void require_identifier(const std::string& name, const base::SourcePosition& position) {
  if (!is_identifier(name)) {
    throw base::InputError(fmt::format("'{}' cannot be a macro: expected letters, digits and _", name),
                           position);
  }
  if (const std::optional<std::string> meaning = reserved_meaning(name)) {
    throw base::InputError(
        fmt::format("'{}' cannot be a name here: it is {}; expected another name", name, *meaning), position);
  }
}

model::Expression expression_of(const toml::node& node, const std::string& file, std::string_view what,
                                model::NameForm names) {
  base::SourcePosition position = position_of(node, file);
  if (node.is_string()) {
    ++position.column;  // The text begins after its quote.
    const auto& text = node.ref<std::string>();
    try {
      return model::Expression::parse(text, position, names);
    } catch (const base::InputError& error) {
      const int offset = error.position().column - position.column;
      if (error.position().line != position.line || offset < 0) throw;
      position.column = column_inside(node, text, static_cast<std::size_t>(offset));
      throw base::InputError(error.message(), position);
    }
  }
  const std::optional<model::Value> value = scalar_of(node);
  if (!value)
    throw base::InputError(fmt::format("{} is {}, expected an expression or a number", what, kind_of(node)),
                           position);
  return model::Expression::constant(*value, position);
}

TableReader::TableReader(const toml::table* table, std::string path, std::string file,
                         std::string ordering_file)
    : table_(table),
      path_(std::move(path)),
      file_(std::move(file)),
      ordering_file_(std::move(ordering_file)) {}

const toml::node* TableReader::node(std::string_view key) const {
  return table_ == nullptr ? nullptr : table_->get(key);
}

std::vector<std::pair<std::string, const toml::node*>> TableReader::entries() const {
  std::vector<std::pair<std::string, const toml::node*>> found;
  if (table_ == nullptr) return found;
  for (const auto& [key, value] : *table_) found.emplace_back(std::string(key.str()), &value);
  std::stable_sort(found.begin(), found.end(), [this](const auto& a, const auto& b) {
    const auto is_ordered = [this](const toml::node& node) {
      return node.source().path != nullptr && *node.source().path == ordering_file_;
    };
    if (is_ordered(*a.second) != is_ordered(*b.second)) return is_ordered(*a.second);
    if (!is_ordered(*a.second)) return false;  // The table has its keys in the order of their names.
    const toml::source_position left = a.second->source().begin;
    const toml::source_position right = b.second->source().begin;
    return left.line != right.line ? left.line < right.line : left.column < right.column;
  });
  return found;
}

void TableReader::allow_only(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : entries()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw base::InputError(
        fmt::format("unknown key '{}'{}; {} has {}", name_of(key), base::did_you_mean(key, known),
                    path_.empty() ? "the file" : "[" + path_ + "]", fmt::join(known, ", ")),
        position_of(*value, file_));
  }
}

base::SourcePosition TableReader::position() const {
  return table_ == nullptr ? base::SourcePosition{file_, 0, 0} : position_of(*table_, file_);
}

base::SourcePosition TableReader::position(std::string_view key) const {
  const toml::node* found = node(key);
  return found == nullptr ? position() : position_of(*found, file_);
}

std::string TableReader::name_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void TableReader::fail(std::string_view key, const std::string& expected) const {
  const toml::node* found = node(key);
  const std::string what = found == nullptr ? fmt::format("{} is missing", name_of(key))
                                            : fmt::format("{} is {}", name_of(key), kind_of(*found));
  throw base::InputError(fmt::format("{}, expected {}", what, expected), position(key));
}

std::optional<std::string> TableReader::text(std::string_view key) const {
  const toml::node* found = node(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_string()) fail(key, "text");
  return found->ref<std::string>();
}

std::string TableReader::required_text(std::string_view key) const {
  const std::optional<std::string> found = text(key);
  if (!found || found->empty()) fail(key, "text");
  return *found;
}

std::optional<double> TableReader::number(std::string_view key) const {
  const toml::node* found = node(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_integer()) return static_cast<double>(found->ref<std::int64_t>());
  if (!found->is_floating_point()) fail(key, "a number");
  return found->ref<double>();
}

std::optional<std::int64_t> TableReader::integer(std::string_view key) const {
  const toml::node* found = node(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_integer()) fail(key, "an integer");
  return found->ref<std::int64_t>();
}

std::optional<bool> TableReader::boolean(std::string_view key) const {
  const toml::node* found = node(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_boolean()) fail(key, "true or false");
  return found->ref<bool>();
}

std::vector<std::string> TableReader::texts(std::string_view key) const {
  std::vector<std::string> found;
  const toml::node* list = node(key);
  if (list == nullptr) return found;
  if (!list->is_array()) fail(key, "a list of texts");
  for (const toml::node& element : *list->as_array()) {
    if (!element.is_string()) fail(key, "a list of texts");
    found.push_back(element.ref<std::string>());
  }
  return found;
}

std::optional<model::Expression> TableReader::expression(std::string_view key) const {
  const toml::node* found = node(key);
  if (found == nullptr) return std::nullopt;
  return expression_of(*found, file_, name_of(key));
}

model::Expression TableReader::required_expression(std::string_view key) const {
  std::optional<model::Expression> found = expression(key);
  if (!found) fail(key, "an expression");
  return *std::move(found);
}

model::Expression TableReader::required_choice(std::string_view key,
                                               const std::vector<std::string>& names) const {
  const toml::node* found = node(key);
  const std::string text = found != nullptr && found->is_string() ? found->ref<std::string>() : "";
  if (std::find(names.begin(), names.end(), text) != names.end()) return model::Expression::constant(text);
  return required_expression(key);
}

std::vector<model::Expression> TableReader::expressions(std::string_view key) const {
  std::vector<model::Expression> found;
  const toml::node* list = node(key);
  if (list == nullptr) return found;
  if (!list->is_array()) return {expression_of(*list, file_, name_of(key))};
  for (const toml::node& element : *list->as_array())
    found.push_back(expression_of(element, file_, name_of(key)));
  return found;
}

TableReader TableReader::table(std::string_view key) const {
  const toml::node* found = node(key);
  if (found != nullptr && !found->is_table()) fail(key, "a table");
  return {found == nullptr ? nullptr : found->as_table(), name_of(key), file_, ordering_file_};
}

std::vector<TableReader> TableReader::tables(std::string_view key) const {
  std::vector<TableReader> found;
  const toml::node* list = node(key);
  if (list == nullptr) return found;
  if (!list->is_array()) fail(key, fmt::format("tables, each headed [[{}]]", name_of(key)));
  for (const toml::node& element : *list->as_array()) {
    if (!element.is_table()) fail(key, fmt::format("tables, each headed [[{}]]", name_of(key)));
    found.emplace_back(element.as_table(), name_of(key), file_, ordering_file_);
  }
  return found;
}

model::Expression required_dotted_expression(const TableReader& table, std::string_view key) {
  if (table.node(key) == nullptr) table.fail(key, "an expression");
  return expression_of(*table.node(key), table.file(), table.name_of(key), model::NameForm::kDotted);
}

}  // namespace warptune::kernel_templates::definition
