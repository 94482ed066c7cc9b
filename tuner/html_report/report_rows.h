// The rows of a report's workload as columns of JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/recording.h"

namespace warptune::tuner::html_report {

/// Digits of times and of what is as exact.
inline constexpr int kTimeDigits = 6;

/// The fastest first, what was dropped after what was measured, what failed last.
std::vector<const model::Measurement*> ordered_rows(const model::Recording& recording);

/// Of each row the places of its values in their lists (-1 where a list lacks it), its status and its times.
nlohmann::ordered_json row_columns(const model::Recording& recording,
                                   const std::vector<const model::Measurement*>& rows);
/// What the rows used of an SM; columns that say nothing are left out.
nlohmann::ordered_json resource_columns(const std::vector<const model::Measurement*>& rows);
nlohmann::ordered_json counter_columns(const std::vector<const model::Measurement*>& rows);

/// Adds to a workload's form the reasons of failed rows once each, and to its rows which of them a row has;
/// -1 for none.
void add_reasons(nlohmann::ordered_json& form, const std::vector<const model::Measurement*>& rows);

/// Where a configuration stands among the rows; null when it is not there.
nlohmann::ordered_json place_of(const model::NamedValues& configuration,
                                const std::vector<const model::Measurement*>& rows);

}  // namespace warptune::tuner::html_report
