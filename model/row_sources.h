// Which rows stand for a workload if its rows have several sources (`RowSource`).
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "model/measurement.h"

namespace warptune::model {

/// The source of a measurement, of a session, or of a stored row with a `measurement`.
template <class Row>
RowSource row_source(const Row& row) {
  if constexpr (std::is_pointer_v<Row>) {
    return row_source(*row);
  } else if constexpr (requires { row.measurement.source; }) {
    return row.measurement.source;
  } else {
    return row.source;
  }
}

/// Whether a row can be ranked: its status is `kMeasured`, or it has no status.
template <class Row>
bool can_rank(const Row& row) {
  if constexpr (std::is_pointer_v<Row>) {
    return can_rank(*row);
  } else if constexpr (requires { row.measurement.status; }) {
    return row.measurement.status == Status::kMeasured;
  } else if constexpr (requires { row.status; }) {
    return row.status == Status::kMeasured;
  } else {
    return true;
  }
}

/// The best source of the rows that can be ranked, or of all rows if none can be. It has no value if there
/// are no rows.
template <class Row>
std::optional<RowSource> best_source(const std::vector<Row>& rows) {
  std::optional<RowSource> ranked;
  std::optional<RowSource> any;
  for (const Row& row : rows) {
    const RowSource source = row_source(row);
    if (!any || source < *any) any = source;
    if (can_rank(row) && (!ranked || source < *ranked)) ranked = source;
  }
  return ranked ? ranked : any;
}

/// Removes the rows whose source ranks below `last`.
template <class Row>
void keep_sources(std::vector<Row>& rows, RowSource last) {
  std::erase_if(rows, [last](const Row& row) { return row_source(row) > last; });
}

/// Removes the rows whose source ranks below the best source of the rows.
template <class Row>
void keep_best_source(std::vector<Row>& rows) {
  if (const std::optional<RowSource> best = best_source(rows)) keep_sources(rows, *best);
}

/// The last row of the best source, or null if there are no rows. It points into `rows`.
template <class Row>
const Row* last_of_best_source(const std::vector<Row>& rows) {
  const std::optional<RowSource> best = best_source(rows);
  const Row* last = nullptr;
  for (const Row& row : rows) {
    if (row_source(row) == *best) last = &row;
  }
  return last;
}

}  // namespace warptune::model
