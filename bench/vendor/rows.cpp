#include "bench/vendor/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "kernel_templates/definition/toml_reader.h"

namespace warptune::bench::vendor {

namespace {

using kernel_templates::definition::TableReader;

void put(model::NamedValues& values, const std::string& name, const model::Value& value) {
  for (auto& [known, old] : values) {
    if (known == name) {
      old = value;
      return;
    }
  }
  values.emplace_back(name, value);
}

void put_all(model::NamedValues& values, const TableReader& table) {
  for (const auto& [name, node] : table.entries()) {
    const auto value = kernel_templates::definition::scalar_of(*node);
    if (!value) table.fail(name, "a number or a text");
    put(values, name, *value);
  }
}

Row group_row(const TableReader& group) {
  group.allow_only({"kernel", "problem", "cases", "references", "restrict", "goal", "priority", "name"});
  Row row;
  row.kernel = group.required_text("kernel");
  row.references = group.texts("references");
  row.priority = static_cast<int>(group.integer("priority").value_or(1));
  if (const auto text = group.text("restrict")) {
    row.restrict_text = *text;
    row.restrict_to = model::Expression::parse(*text, group.position("restrict"));
  }
  const TableReader goal = group.table("goal");
  goal.allow_only({"ratio", "roof"});
  row.goal.ratio = goal.number("ratio");
  row.goal.roof = goal.number("roof");
  put_all(row.problem, group.table("problem"));
  return row;
}

void name_row(Row& row) {
  row.name = fmt::format("{} {}", row.kernel, model::to_text(row.problem));
  if (!row.restrict_text.empty()) row.name += fmt::format(" [{}]", row.restrict_text);
}

}  // namespace

std::string Goal::text() const {
  std::string text;
  if (ratio) text = fmt::format("{:.2f} x", *ratio);
  if (roof) text += fmt::format("{}{:.0f} % of the roof", text.empty() ? "" : " and ", 100.0 * *roof);
  return text.empty() ? "-" : text;
}

std::vector<Row> read_rows(const std::filesystem::path& path) {
  const toml::table root = kernel_templates::definition::parse_toml(base::read_file(path), path.string());
  const TableReader file(&root, "", path.string());
  file.allow_only({"group"});
  std::vector<Row> rows;
  for (const TableReader& group : file.tables("group")) {
    const Row common = group_row(group);
    const std::vector<TableReader> cases = group.tables("cases");
    if (cases.empty()) rows.push_back(common);
    for (const TableReader& one : cases) {
      Row row = common;
      for (const auto& [name, node] : one.entries()) {
        const auto value = kernel_templates::definition::scalar_of(*node);
        if (!value) one.fail(name, "a number or a text");
        if (name == "priority") {
          row.priority = static_cast<int>(std::get<std::int64_t>(*value));
        } else {
          put(row.problem, name, *value);
        }
      }
      rows.push_back(row);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    name_row(rows[i]);
    rows[i].position = i;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.priority < b.priority; });
  return rows;
}

}  // namespace warptune::bench::vendor
