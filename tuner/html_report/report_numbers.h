#pragma once

#include <nlohmann/json.hpp>

namespace warptune::tuner::html_report {

/// A number rounded to `digits` significant digits. A whole number is written without a decimal point. NaN
/// and infinity become null.
nlohmann::ordered_json report_number(double value, int digits);

}  // namespace warptune::tuner::html_report
