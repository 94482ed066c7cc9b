#include "survey/records/survey_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/streams/zstd_text.h"
#include "base/text.h"
#include "survey/records/survey_columns.h"
#include "survey/records/survey_head.h"
#include "survey/records/survey_parser.h"

namespace warptune::survey::records {

namespace {

// On the file of a million launches, level 12 gives 5 % fewer bytes in six times the time.
constexpr int kLevel = 6;
constexpr std::size_t kMib = std::size_t{1} << 20;
constexpr std::size_t kMaxValues = 4'000'000;  // Names and what else is outside of the tables.

template <class Row>
bool is_left_out(const Column<Row>& column, const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return column.get(row) == 0; });
}

template <class Row>
void write_column(const Column<Row>& column, const std::vector<Row>& rows, std::string& text) {
  std::int64_t before = 0;
  for (const Row& row : rows) {
    const std::int64_t value = column.get(row);
    text += fmt::format_int(column.differences ? value - before : value).c_str();
    text += ',';
    before = value;
  }
  if (!rows.empty()) text.pop_back();
}

template <class Row>
void write_table(std::string_view name, const std::vector<Row>& rows, std::string& text) {
  text += fmt::format(",\n\"{}\":{{", name);
  bool is_first = true;
  for (const Column<Row>& column : columns_of<Row>()) {
    if (!is_first && is_left_out(column, rows)) continue;
    text += fmt::format("{}\n\"{}\":[", is_first ? "" : ",", column.name);
    write_column(column, rows, text);
    text += ']';
    is_first = false;
  }
  text += '}';
}

std::string text_of(const Survey& survey) {
  const int version =
      survey.counted.empty() && survey.counted_graphs.empty() ? kVersionWithoutCounters : kSurveyVersion;
  nlohmann::ordered_json head = {{"format", kSurveyFormat}, {"version", version}};
  head.update(head_to_json(survey));
  std::string text = head.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.pop_back();
  for_each_table(survey, [&](std::string_view name, const auto& rows) { write_table(name, rows, text); });
  text += "}\n";
  return text;
}

std::int64_t rows_of(const Survey& survey, Table table) {
  switch (table) {
    case Table::kNames:
      return std::ssize(survey.names);
    case Table::kDevices:
      return std::ssize(survey.devices);
    case Table::kProcesses:
      return std::ssize(survey.processes);
    case Table::kStreams:
      return std::ssize(survey.streams);
    case Table::kShapes:
      return std::ssize(survey.shapes);
    case Table::kCalls:
      return std::ssize(survey.calls);
    case Table::kNoTable:
      break;
  }
  return 0;
}

// Checks the numbers of a column and puts them into the rows.
template <class Row>
void take_column(const Survey& survey, std::string_view table, const Column<Row>& column,
                 const std::vector<std::int64_t>& numbers, std::vector<Row>& rows) {
  const std::int64_t maximum =
      column.target == Table::kNoTable ? column.maximum : rows_of(survey, column.target) - 1;
  std::int64_t value = 0;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t number = numbers[i];
    const bool overflows = __builtin_add_overflow(column.differences ? value : 0, number, &value);
    if (overflows || value < column.minimum || value > maximum)
      throw base::InputError(fmt::format("{}.{}: row {} is out of range", table, column.name, i));
    if (column.is_summed && (sum += value) > kLargestSum)
      throw base::InputError(fmt::format("{}.{}: the sum is out of range at row {}", table, column.name, i));
    column.set(rows[i], value);
  }
}

// Launches and the like are in the order of their start.
template <class Row>
void check_order(std::string_view table, const std::vector<Row>& rows) {
  if constexpr (requires(const Row& row) { row.time; }) {
    const auto is_before = [](const Row& one, const Row& other) { return one.time.start < other.time.start; };
    if (!std::is_sorted(rows.begin(), rows.end(), is_before))
      throw base::InputError(fmt::format("{}: the rows are not in the order of their start", table));
  }
}

template <class Row>
void take_table(const Survey& survey, std::string_view table, ParsedTable& parsed, std::vector<Row>& rows) {
  const auto columns = columns_of<Row>();
  for (const Column<Row>& column : columns) {
    auto found = parsed.find(column.name);
    if (found == parsed.end()) found = parsed.try_emplace(std::string(column.name), rows.size(), 0).first;
    if (found->second.size() != rows.size())
      throw base::InputError(fmt::format("{}.{}: expected {}, found {}", table, column.name,
                                         base::counted(rows.size(), "number"), found->second.size()));
    take_column(survey, table, column, found->second, rows);
    found->second = {};
  }
  check_order(table, rows);
}

void check_counted(const Survey& survey) {
  for (const CountedShape& counted : survey.counted) {
    if (counted.shape >= survey.shapes.size() || counted.device >= survey.devices.size())
      throw base::InputError("counted: a shape or a device is out of range");
  }
  for (const CountedGraph& graph : survey.counted_graphs) {
    const bool has_shapes = std::all_of(graph.parts.begin(), graph.parts.end(), [&](const GraphPart& part) {
      return part.shape < survey.shapes.size();
    });
    if (!has_shapes || graph.device >= survey.devices.size())
      throw base::InputError("counted_graphs: a shape or a device is out of range");
    constexpr std::int64_t kMaxNodes = 1'000'000'000;
    std::int64_t rest = graph.kernel_nodes <= kMaxNodes ? graph.kernel_nodes : -1;
    for (const GraphPart& part : graph.parts) rest = part.nodes <= rest ? rest - part.nodes : -1;
    if (rest < 0 || graph.other_nodes < 0 || graph.other_nodes > kMaxNodes)
      throw base::InputError("counted_graphs: a number of nodes is out of range");
  }
}

Survey survey_of(std::string_view text) {
  ParsedSurvey parsed = parse_survey(text, kMaxValues);
  Survey survey;
  head_from_json(parsed.head, survey);
  parsed.head = {};
  // All tables have their sizes before the first index is checked.
  for_each_table(survey, [&]<class Row>(std::string_view name, std::vector<Row>& rows) {
    const auto table = parsed.tables.find(name);
    if (table == parsed.tables.end()) return;
    const auto first = table->second.find(columns_of<Row>().front().name);
    rows.resize(first == table->second.end() ? 0 : first->second.size());
  });
  for_each_table(survey, [&](std::string_view name, auto& rows) {
    take_table(survey, name, parsed.tables[std::string(name)], rows);
  });
  check_counted(survey);
  return survey;
}

}  // namespace

void write_survey(const Survey& survey, const std::filesystem::path& path, std::size_t max_text) {
  for_each_table(survey, [](std::string_view name, const auto& rows) {
    try {
      check_order(name, rows);
    } catch (const base::InputError& error) {
      throw base::InternalError(error.what());
    }
  });
  const std::string text = text_of(survey);
  if (text.size() > max_text)
    throw base::InputError(
        fmt::format("{}: a survey of at most {} MiB can be stored, this one has {} MiB before it is "
                    "compressed; choose fewer "
                    "records",
                    path.string(), max_text / kMib, text.size() / kMib));
  base::write_file_atomically(path, base::streams::zstd_compress(text, kLevel));
}

Survey read_survey(const std::filesystem::path& path, std::size_t max_text) {
  const std::string bytes = base::read_file(path);
  std::string text;
  base::streams::zstd_decompress(bytes, path, "survey", [&](std::string_view piece) {
    if (text.size() + piece.size() > max_text)
      throw base::InputError(
          fmt::format("expected a survey of at most {} MiB once it is unpacked, found more", max_text / kMib),
          {path.string(), 0, 0});
    text += piece;
  });
  try {
    return survey_of(text);
  } catch (const base::InputError& error) {
    throw base::InputError(error.what(), {path.string(), 0, 0});
  } catch (const nlohmann::json::exception& error) {
    throw base::InputError("expected a survey, found a member of another type", {path.string(), 0, 0});
  }
}

}  // namespace warptune::survey::records
