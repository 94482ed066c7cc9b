// Reads the rows of an experiment's table, and makes rows from its sweeps.
#include "kernel_templates/definition/experiment_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/library.h"

namespace warptune::kernel_templates::definition {

using model::NamedValues;

namespace {

std::string required_identifier(const TableReader& table, std::string_view key) {
  std::string name = table.required_text(key);
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
      !std::all_of(name.begin(), name.end(), word))
    table.fail(key, "an identifier: letters, digits and _");
  return name;
}

void put(NamedValues& values, const std::string& name, const model::Value& value) {
  for (auto& [known, old] : values) {
    if (known == name) {
      old = value;
      return;
    }
  }
  values.emplace_back(name, value);
}

NamedValues with_table(NamedValues values, const TableReader& table) {
  for (const auto& [name, node] : table.entries()) {
    const auto value = scalar_of(*node);
    if (!value) table.fail(name, "a number, a text, true or false");
    put(values, name, *value);
  }
  return values;
}

std::vector<std::pair<std::string, std::vector<model::Value>>> lists_of(const TableReader& table) {
  std::vector<std::pair<std::string, std::vector<model::Value>>> lists;
  for (const auto& [name, node] : table.entries()) {
    if (!node->is_array() || node->as_array()->empty()) table.fail(name, "a list of values");
    lists.emplace_back(name, std::vector<model::Value>());
    for (const toml::node& element : *node->as_array()) {
      const auto value = scalar_of(element);
      if (!value) table.fail(name, "a list of values");
      lists.back().second.push_back(*value);
    }
  }
  return lists;
}

// The path of a kernel in the experiment's folder, or the name of a shipped kernel.
std::string kernel_of(const std::string& text, const std::filesystem::path& experiment) {
  return is_kernel_path(text) ? (experiment.parent_path() / text).string() : text;
}

// The values that rows inherit from their table.
struct RowFrame {
  std::string kernel;
  NamedValues problem;
  NamedValues set;
};

ExperimentRow row_of(const TableReader& table, const RowFrame& frame, const std::filesystem::path& path) {
  table.allow_only({"id", "label", "note", "kernel", "problem", "set", "tune"});
  ExperimentRow row;
  row.id = required_identifier(table, "id");
  row.label = table.text("label").value_or(row.id);
  row.note = table.text("note").value_or("");
  const auto kernel = table.text("kernel");
  row.kernel = kernel ? kernel_of(*kernel, path) : frame.kernel;
  // Values that were written for the table's kernel do not apply to another kernel.
  row.problem = with_table(kernel ? NamedValues() : frame.problem, table.table("problem"));
  row.set = with_table(kernel ? NamedValues() : frame.set, table.table("set"));
  row.tune = lists_of(table.table("tune"));
  row.position = table.position();
  return row;
}

std::string identifier_of(const std::string& text) {
  std::string id;
  for (const char c : text) id += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return id;
}

// Adds a row for each combination. The values of the last list change fastest.
void add_sweep(const TableReader& table, const RowFrame& frame, std::vector<ExperimentRow>& rows) {
  table.allow_only({"set"});
  const auto lists = lists_of(table.table("set"));
  if (lists.empty()) table.fail("set", "names with lists of values");
  std::vector<std::size_t> digits(lists.size(), 0);
  while (true) {
    ExperimentRow row{"", "", "", frame.kernel, frame.problem, frame.set, {}, table.position()};
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const auto& [name, values] = lists[i];
      const model::Value& value = values[digits[i]];
      const std::string text = model::to_text(value);
      row.id += (i == 0 ? "" : "_") + name + "_" + identifier_of(text);
      row.label += fmt::format("{}{} = {}", i == 0 ? "" : ", ", name, text);
      put(row.set, name, value);
    }
    rows.push_back(std::move(row));
    std::size_t place = lists.size();
    while (place > 0 && ++digits[place - 1] == lists[place - 1].second.size()) digits[--place] = 0;
    if (place == 0) return;
  }
}

// Rows and sweeps in their order in the file.
std::vector<ExperimentRow> rows_of(const TableReader& table, const RowFrame& frame,
                                   const std::filesystem::path& path) {
  struct Part {
    TableReader reader;
    bool is_sweep;
  };
  std::vector<Part> parts;
  for (const TableReader& row : table.tables("row")) parts.push_back({row, false});
  for (const TableReader& sweep : table.tables("sweep")) parts.push_back({sweep, true});
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.reader.position().line < b.reader.position().line;
  });
  std::vector<ExperimentRow> rows;
  for (const Part& part : parts) {
    if (part.is_sweep) {
      add_sweep(part.reader, frame, rows);
    } else {
      rows.push_back(row_of(part.reader, frame, path));
    }
  }
  return rows;
}

}  // namespace

ExperimentTable table_of(const TableReader& reader, const std::filesystem::path& path) {
  reader.allow_only({"name", "title", "kernel", "problem", "set", "cache", "metrics", "baseline", "row",
                     "sweep", "column"});
  ExperimentTable table;
  table.name = required_identifier(reader, "name");
  table.title = reader.required_text("title");
  if (const auto cache = reader.text("cache")) {
    const auto state = model::parse_cache_state(*cache);
    if (!state) reader.fail("cache", "cold or warm");
    table.cache = *state;
  }
  table.metrics = reader.texts("metrics");
  table.baseline = reader.text("baseline").value_or("");
  const RowFrame frame = {kernel_of(reader.required_text("kernel"), path),
                          with_table({}, reader.table("problem")), with_table({}, reader.table("set"))};
  table.rows = rows_of(reader, frame, path);
  for (const TableReader& column : reader.tables("column")) {
    column.allow_only({"title", "value", "digits"});
    ExperimentColumn made{column.required_text("title"), required_dotted_expression(column, "value"),
                          std::nullopt};
    if (const auto digits = column.integer("digits")) {
      if (*digits < 0 || *digits > 12) column.fail("digits", "0 to 12");
      made.digits = static_cast<int>(*digits);
    }
    table.columns.push_back(std::move(made));
  }
  table.position = reader.position();
  return table;
}

}  // namespace warptune::kernel_templates::definition
