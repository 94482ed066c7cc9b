#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace warptune::bench {

/// The text `median (lowest to highest)` with `digits` decimal places.
inline std::string spread_text(std::vector<double> values, int digits) {
  if (values.empty()) return "-";
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", median, digits, values.front(), digits, values.back(),
                     digits);
}

}  // namespace warptune::bench
