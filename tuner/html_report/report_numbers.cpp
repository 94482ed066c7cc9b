#include "tuner/html_report/report_numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace warptune::tuner::html_report {

namespace {

constexpr double kMaxExact = 9e15;  // A double represents smaller integers exactly.

}  // namespace

nlohmann::ordered_json report_number(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  const double rounded = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
  if (std::abs(rounded) < kMaxExact && rounded == std::trunc(rounded))
    return static_cast<std::int64_t>(rounded);
  return rounded;
}

}  // namespace warptune::tuner::html_report
