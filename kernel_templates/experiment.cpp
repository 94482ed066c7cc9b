#include "kernel_templates/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/definition/experiment_names.h"
#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/library.h"

namespace warptune::kernel_templates {

namespace fs = std::filesystem;
using definition::TableReader;
using model::Expression;
using model::NamedValues;

namespace {

Expression required_expression(const TableReader& table, std::string_view key) {
  if (table.node(key) == nullptr) table.fail(key, "an expression");
  return definition::expression_of(*table.node(key), table.file(), table.name_of(key),
                                   model::NameForm::kDotted);
}

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
    const auto value = definition::scalar_of(*node);
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
      const auto value = definition::scalar_of(element);
      if (!value) table.fail(name, "a list of values");
      lists.back().second.push_back(*value);
    }
  }
  return lists;
}

// A kernel beside the experiment, or a shipped name.
std::string kernel_of(const std::string& text, const fs::path& experiment) {
  return is_kernel_path(text) ? (experiment.parent_path() / text).string() : text;
}

// What rows take from their table.
struct RowFrame {
  std::string kernel;
  NamedValues problem;
  NamedValues set;
};

ExperimentRow row_of(const TableReader& table, const RowFrame& frame, const fs::path& path) {
  table.allow_only({"id", "label", "note", "kernel", "problem", "set", "tune"});
  ExperimentRow row;
  row.id = required_identifier(table, "id");
  row.label = table.text("label").value_or(row.id);
  row.note = table.text("note").value_or("");
  const auto kernel = table.text("kernel");
  row.kernel = kernel ? kernel_of(*kernel, path) : frame.kernel;
  // Another kernel knows nothing of what was written for the table's.
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

// A row for each combination, the last list's values fastest.
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

// Rows and sweeps as they follow each other in the file.
std::vector<ExperimentRow> rows_of(const TableReader& table, const RowFrame& frame, const fs::path& path) {
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

ExperimentTable table_of(const TableReader& reader, const fs::path& path) {
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
    ExperimentColumn made{column.required_text("title"), required_expression(column, "value"), std::nullopt};
    if (const auto digits = column.integer("digits")) {
      if (*digits < 0 || *digits > 12) column.fail("digits", "0 to 12");
      made.digits = static_cast<int>(*digits);
    }
    table.columns.push_back(std::move(made));
  }
  table.position = reader.position();
  return table;
}

// `{EXPRESSION @ FORMAT}`; errors stand at the text's place.
TextWithNumbers text_with_numbers(const TableReader& table, std::string_view key) {
  const std::string text = table.required_text(key);
  const base::SourcePosition position = table.position(key);
  TextWithNumbers parts;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('{', at);
    parts.texts.push_back(text.substr(at, open == std::string::npos ? open : open - at));
    if (open == std::string::npos) return parts;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) table.fail(key, "a } for every {");
    std::string inside = text.substr(open + 1, close - open - 1);
    std::string format;
    if (const std::size_t mark = inside.find('@'); mark != std::string::npos) {
      format = std::string(base::trim(std::string_view(inside).substr(mark + 1)));
      inside = inside.substr(0, mark);
    }
    try {
      (void)fmt::format(fmt::runtime("{:" + format + "}"), 1.0);
    } catch (const fmt::format_error&) {
      table.fail(key, fmt::format("a format of numbers such as .1f, found '{}'", format));
    }
    parts.numbers.push_back(
        {Expression::parse(std::string(base::trim(inside)), position, model::NameForm::kDotted), format});
    at = close + 1;
  }
}

Claim claim_of(const TableReader& reader) {
  reader.allow_only({"text", "value", "unit", "expected", "holds", "weaker", "because", "evidence"});
  Claim claim{reader.required_text("text"),
              required_expression(reader, "value"),
              reader.text("unit").value_or(""),
              reader.number("expected"),
              required_expression(reader, "holds"),
              std::nullopt,
              {},
              {},
              {},
              {},
              reader.position()};
  if (reader.node("weaker") != nullptr) claim.weaker = required_expression(reader, "weaker");
  const TableReader because = reader.table("because");
  because.allow_only({"holds", "weaker", "fails"});
  if (!because.present()) reader.fail("because", "texts for holds, weaker and fails");
  claim.because_holds = text_with_numbers(because, "holds");
  if (claim.weaker) claim.because_weaker = text_with_numbers(because, "weaker");
  claim.because_fails = text_with_numbers(because, "fails");
  for (const TableReader& one : reader.tables("evidence")) {
    one.allow_only({"text", "values"});
    Evidence evidence{one.required_text("text"), {}};
    const toml::node* values = one.node("values");
    if (values == nullptr || !values->is_array() || values->as_array()->empty())
      one.fail("values", "a list of expressions");
    for (const toml::node& value : *values->as_array())
      evidence.values.push_back(
          definition::expression_of(value, one.file(), one.name_of("values"), model::NameForm::kDotted));
    claim.evidence.push_back(std::move(evidence));
  }
  if (claim.evidence.empty())
    reader.fail("evidence", "at least one [[claim.evidence]]: what backs the verdict");
  return claim;
}

TheoryRow theory_of(const TableReader& reader) {
  reader.allow_only({"text", "metric", "value", "expected", "tolerance"});
  const auto tolerance = reader.number("tolerance");
  if (!tolerance || *tolerance < 0.0) reader.fail("tolerance", "a number of at least 0");
  return {reader.required_text("text"),
          reader.required_text("metric"),
          required_expression(reader, "value"),
          required_expression(reader, "expected"),
          *tolerance,
          reader.position()};
}

ExperimentChart::Axis axis_of(const TableReader& reader) {
  reader.allow_only({"title", "value", "scale"});
  const std::string scale = reader.text("scale").value_or("linear");
  if (scale != "linear" && scale != "log") reader.fail("scale", "linear or log");
  return {reader.required_text("title"), required_expression(reader, "value"), scale == "log"};
}

ExperimentChart chart_of(const TableReader& reader) {
  reader.allow_only({"title", "x", "y", "series", "lines"});
  ExperimentChart chart{
      reader.required_text("title"), axis_of(reader.table("x")), axis_of(reader.table("y")), {}, {}};
  for (const TableReader& one : reader.tables("series")) {
    one.allow_only({"title", "table"});
    chart.series.emplace_back(one.required_text("title"), one.required_text("table"));
  }
  for (const TableReader& one : reader.tables("lines")) {
    one.allow_only({"title", "value"});
    chart.lines.push_back({one.required_text("title"), required_expression(one, "value")});
  }
  return chart;
}

}  // namespace

const ExperimentTable* Experiment::find_table(std::string_view table) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const ExperimentTable& one) { return one.name == table; });
  return found == tables.end() ? nullptr : &*found;
}

Experiment load_experiment(const fs::path& path, const std::vector<fs::path>& granted) {
  const ReadScope scope(path, granted);
  scope.require(path, "the experiment", {path.string(), 0, 0});
  const toml::table root = definition::parse_toml(base::read_file(path), path.string());
  const TableReader file(&root, "", path.string());
  file.allow_only({"experiment", "table", "quantities", "claim", "theory", "chart"});
  const TableReader head = file.table("experiment");
  if (!head.present())
    throw base::InputError("there is no [experiment]: expected an experiment of the lab",
                           {path.string(), 0, 0});
  head.allow_only({"title", "summary", "about", "sources"});
  Experiment experiment;
  experiment.name = path.stem().string();
  experiment.path = path;
  experiment.scope = scope;
  experiment.title = head.required_text("title");
  experiment.summary = head.required_text("summary");
  experiment.about = head.required_text("about");
  experiment.sources = head.texts("sources");
  for (const TableReader& table : file.tables("table")) experiment.tables.push_back(table_of(table, path));
  const TableReader quantities = file.table("quantities");
  for (const auto& [name, node] : quantities.entries())
    experiment.quantities.emplace_back(name, required_expression(quantities, name));
  for (const TableReader& claim : file.tables("claim")) experiment.claims.push_back(claim_of(claim));
  for (const TableReader& row : file.tables("theory")) experiment.theory.push_back(theory_of(row));
  for (const TableReader& chart : file.tables("chart")) experiment.charts.push_back(chart_of(chart));
  if (experiment.tables.empty())
    throw base::InputError("there is no [[table]]: nothing would be measured", {path.string(), 0, 0});
  if (experiment.claims.empty())
    throw base::InputError("there is no [[claim]]: nothing would be judged", {path.string(), 0, 0});
  for (const ExperimentTable& table : experiment.tables) {
    for (const ExperimentRow& row : table.rows) {
      if (is_kernel_path(row.kernel)) scope.require(row.kernel, "the kernel", row.position);
    }
  }
  definition::check_names(experiment);
  return experiment;
}

namespace {

// Kernel definitions may lie beside experiments.
bool begins_experiment(const fs::path& path) {
  return definition::parse_toml(base::read_file(path), path.string()).contains("experiment");
}

}  // namespace

std::vector<std::string> shipped_experiments() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(base::share_folder() / "lab", error)) {
    if (entry.path().extension() == ".toml" && begins_experiment(entry.path()))
      names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_experiment(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".toml")
    return name_or_path;
  fs::path shipped = base::share_folder() / "lab" / (name_or_path + ".toml");
  if (fs::is_regular_file(shipped) && begins_experiment(shipped)) return shipped;
  const std::vector<std::string> known = shipped_experiments();
  throw base::InputError(
      fmt::format("unknown experiment '{}'{}; `warptune lab` lists them; one of your own goes by its path",
                  name_or_path, base::did_you_mean(name_or_path, known)));
}

}  // namespace warptune::kernel_templates
