// The rows of a report's workload as columns of JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/recording.h"

namespace warptune::tuner::html_report {

/// Significant digits of times, roofs and resources.
inline constexpr int kTimeDigits = 6;

/// The rows in order: measured ones, then dropped ones, then failed ones. Of those with a time, the better
/// source comes first (`model::RowSource`), and within a source the fastest.
std::vector<const model::Measurement*> ordered_rows(const model::Recording& recording);

/// Columns with the status and times of each row, and with the index of each value in its parameter's list.
/// The index is -1 if the list does not have the value.
nlohmann::ordered_json row_columns(const model::Recording& recording,
                                   const std::vector<const model::Measurement*>& rows);
/// Columns with the resources that the rows used. Columns without values are left out.
nlohmann::ordered_json resource_columns(const std::vector<const model::Measurement*>& rows);
/// Columns with the counters of the rows.
nlohmann::ordered_json counter_columns(const std::vector<const model::Measurement*>& rows);

/// Adds to the JSON of a workload the different reasons of failed rows. Adds to its rows the index of each
/// row's reason, or -1.
void add_reasons(nlohmann::ordered_json& form, const std::vector<const model::Measurement*>& rows);

/// The index of a configuration among the rows, or null.
nlohmann::ordered_json place_of(const model::NamedValues& configuration,
                                const std::vector<const model::Measurement*>& rows);

}  // namespace warptune::tuner::html_report
