// The columns of a survey's tables in a file. Writing and reading use the same lists, so they cannot differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// The tables that indices of a column may point into.
enum class Table { kNoTable, kNames, kDevices, kProcesses, kStreams, kShapes, kCalls };

/// One column of a table: how a number of the file and a member of a row become each other.
template <class Row>
struct Column {
  std::string_view name;
  std::int64_t (*get)(const Row& row) = nullptr;
  void (*set)(Row& row, std::int64_t value) = nullptr;
  std::int64_t minimum = 0;  ///< The smallest value that a file may have. So is the next the largest.
  std::int64_t maximum = std::numeric_limits<std::uint32_t>::max();
  Table target = Table::kNoTable;  ///< If it is an index, then `maximum` does not count.
  bool differences = false;        ///< Each number of the file is the difference to the one before it.
  bool is_summed = false;          ///< An analysis adds up its rows. Their sum is at most `kLargestSum`.
};

/// Times are within 36 years of the beginning of a survey, so sums of two do not overflow.
inline constexpr std::int64_t kLatestTime = std::int64_t{1} << 60;
/// The durations of a table sum up to at most 36 years, and bytes to an exbibyte. So the sums of several
/// tables do not overflow either.
inline constexpr std::int64_t kLargestSum = std::int64_t{1} << 60;

namespace columns {

/// A number in the file for an index: -1 for `kNone`.
constexpr std::int64_t from_index(Index index) { return index == kNone ? -1 : std::int64_t{index}; }
constexpr Index to_index(std::int64_t value) { return value < 0 ? kNone : static_cast<Index>(value); }

/// A column that holds a member as it is. Enumerations are numbers in the order of their declaration.
template <class Row, auto member>
constexpr Column<Row> plain(std::string_view name,
                            std::int64_t maximum = std::numeric_limits<std::uint32_t>::max()) {
  return {name, [](const Row& row) { return static_cast<std::int64_t>(row.*member); },
          [](Row& row, std::int64_t value) {
            row.*member = static_cast<std::remove_cvref_t<decltype(row.*member)>>(value);
          },
          0, maximum};
}

/// A column whose rows are added up.
template <class Row, auto member>
constexpr Column<Row> summed(std::string_view name) {
  Column<Row> column = plain<Row, member>(name, kLargestSum);
  column.is_summed = true;
  return column;
}

/// A column of indices into a table.
template <class Row, auto member>
constexpr Column<Row> index(std::string_view name, Table target) {
  Column<Row> column = plain<Row, member>(name);
  column.target = target;
  return column;
}

/// A column of one of the three numbers of a grid, a block or a cluster.
template <class Row, auto member, std::size_t axis>
constexpr Column<Row> along(std::string_view name) {
  return {name, [](const Row& row) { return std::int64_t{(row.*member)[axis]}; },
          [](Row& row, std::int64_t value) { (row.*member)[axis] = static_cast<std::uint32_t>(value); }};
}

/// When rows began. Rows are in this order, so the differences are small and not negative.
template <class Row>
constexpr Column<Row> start() {
  return {"start",
          [](const Row& row) { return row.time.start; },
          [](Row& row, std::int64_t value) { row.time.start = value; },
          -kLatestTime,
          kLatestTime,
          Table::kNoTable,
          true};
}

/// How long they took. It follows `start`, to which it is added.
template <class Row>
constexpr Column<Row> duration() {
  return {"duration",
          [](const Row& row) { return row.time.duration(); },
          [](Row& row, std::int64_t value) { row.time.end = row.time.start + value; },
          0,
          kLatestTime,
          Table::kNoTable,
          false,
          true};
}

/// The call that gave the work to the GPU. Most launches come from the call after that of the launch before.
template <class Row>
constexpr Column<Row> call() {
  return {"call",
          [](const Row& row) { return from_index(row.call); },
          [](Row& row, std::int64_t value) { row.call = to_index(value); },
          -1,
          0,
          Table::kCalls,
          true};
}

}  // namespace columns

/// The columns of each type of row. The first is in every file. Another is left out if all of its numbers
/// are 0.
template <class Row>
std::span<const Column<Row>> columns_of();

template <>
std::span<const Column<Stream>> columns_of();
template <>
std::span<const Column<KernelShape>> columns_of();
template <>
std::span<const Column<Launch>> columns_of();
template <>
std::span<const Column<Copy>> columns_of();
template <>
std::span<const Column<Fill>> columns_of();
template <>
std::span<const Column<Call>> columns_of();
template <>
std::span<const Column<Range>> columns_of();
template <>
std::span<const Column<UnlistedLaunches>> columns_of();

/// Calls `take(name, rows)` for each table of columns, in the order of the file.
template <class AnySurvey, class Take>
void for_each_table(AnySurvey& survey, Take take) {
  take("streams", survey.streams);
  take("shapes", survey.shapes);
  take("launches", survey.launches);
  take("copies", survey.copies);
  take("fills", survey.fills);
  take("calls", survey.calls);
  take("ranges", survey.ranges);
  take("unlisted", survey.unlisted);
}

}  // namespace warptune::survey::records
