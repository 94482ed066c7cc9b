#pragma once

#include <nlohmann/json.hpp>

namespace warptune::tuner::html_report {

/// A number rounded to `digits` significant digits. An integer is written as one; NaN and infinity become
/// null.
nlohmann::ordered_json report_number(double value, int digits);

}  // namespace warptune::tuner::html_report
