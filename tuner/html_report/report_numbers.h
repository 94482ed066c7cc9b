#pragma once

#include <nlohmann/json.hpp>

namespace warptune::tuner::html_report {

/// A number with so many significant digits, as an integer where it is one; null for what is not finite.
nlohmann::ordered_json report_number(double value, int digits);

}  // namespace warptune::tuner::html_report
