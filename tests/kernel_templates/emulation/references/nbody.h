#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_nbody(const Case& run) {
  const std::size_t n = run.size("N");
  const bool together = run.is("layout", "aos");
  const auto number = [&](std::size_t body, std::size_t component) {
    return run.buffer(0).at(together ? 4 * body + component : component * n + body);
  };
  const double softening = run.problem("softening");
  std::vector<double> x(n), y(n), z(n), mass(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = number(i, 0), y[i] = number(i, 1), z[i] = number(i, 2), mass[i] = number(i, 3);
  }
  std::vector<double> expected((together ? 4 : 3) * n);
  for (std::size_t i = 0; i < n; ++i) {
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (std::size_t j = 0; j < n; ++j) {
      const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      const double square = dx * dx + dy * dy + dz * dz + softening * softening;
      const double factor = mass[j] / (square * std::sqrt(square));
      sums[0] += factor * dx;
      sums[1] += factor * dy;
      sums[2] += factor * dz;
    }
    for (std::size_t k = 0; k < (together ? 4u : 3u); ++k)
      expected[together ? 4 * i + k : k * n + i] = sums[k];
  }
  return expected;
}

// Forces cancel in pairs, so the sum of mass times acceleration is zero.
inline std::string property_nbody(const Case& run) {
  const std::size_t n = run.size("N");
  const bool together = run.is("layout", "aos");
  for (std::size_t component = 0; component < 3; ++component) {
    double sum = 0.0;
    double allowed = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double mass = run.buffer(0).at(together ? 4 * i + 3 : 3 * n + i);
      const double acceleration = run.buffer(1).at(together ? 4 * i + component : component * n + i);
      sum += mass * acceleration;
      allowed += std::fabs(mass) * run.tolerance(acceleration);
    }
    if (!(std::fabs(sum) <= allowed)) return "the total force is " + std::to_string(sum);
  }
  return "";
}

}  // namespace warptune::emulation

#define WARPTUNE_PROPERTY warptune::emulation::property_nbody
