#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

// Arguments: in, weights, out, scratch.
inline std::vector<double> expected_stencil2d(const Case& run) {
  const long long rows = static_cast<long long>(run.size("ROWS"));
  const long long columns = static_cast<long long>(run.size("COLUMNS"));
  const long long radius = static_cast<long long>(run.size("RADIUS"));
  const bool fixed = run.is("boundary", "fixed");
  std::vector<double> now(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = run.buffer(0).at(i);
  for (std::size_t step = 0; step < run.size("STEPS"); ++step) {
    const std::vector<double> before = now;
    const auto at = [&](long long y, long long x) {
      return before[static_cast<std::size_t>(std::clamp(y, 0LL, rows - 1) * columns +
                                             std::clamp(x, 0LL, columns - 1))];
    };
    for (long long y = 0; y < rows; ++y) {
      for (long long x = 0; x < columns; ++x) {
        if (fixed && (y < radius || y >= rows - radius || x < radius || x >= columns - radius)) continue;
        double sum = run.buffer(1).at(0) * at(y, x);
        for (long long d = 1; d <= radius; ++d) {
          sum += run.buffer(1).at(static_cast<std::size_t>(d)) *
                 (at(y - d, x) + at(y + d, x) + at(y, x - d) + at(y, x + d));
        }
        now[static_cast<std::size_t>(y * columns + x)] = sum;
      }
    }
  }
  return now;
}

}  // namespace warptune::emulation
