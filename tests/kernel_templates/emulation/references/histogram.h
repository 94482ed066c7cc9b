#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_histogram(const Case& run) {
  const double lower = run.problem("lower");
  const double upper = run.problem("upper");
  const double bins = run.problem("bins");
  const bool is_f32 = run.is("dtype", "f32");
  const std::size_t n = run.size("N");
  std::vector<double> expected(run.size("BINS"));
  for (std::size_t i = 0; i < n; ++i) {
    const double sample = run.buffer(0).at(i);
    if (sample < lower || sample >= upper) continue;
    double bin = 0.0;
    if (is_f32) {  // Rounded at the same steps as in the kernel.
      const float scale = static_cast<float>(bins) / (static_cast<float>(upper) - static_cast<float>(lower));
      bin = std::min(std::floor((static_cast<float>(sample) - static_cast<float>(lower)) * scale),
                     static_cast<float>(bins) - 1.0f);
    } else {
      // The product is an integer below 2^53. So the rounding of the quotient never changes the result of
      // floor.
      bin = std::floor((sample - lower) * bins / (upper - lower));
    }
    expected[static_cast<std::size_t>(bin)] += 1.0;
  }
  return expected;
}

// Every sample from `lower` on, and below `upper`, must be counted once.
inline std::string property_histogram(const Case& run) {
  const double lower = run.problem("lower"), upper = run.problem("upper");
  const std::size_t n = run.size("N"), bins = run.size("BINS");
  double inside = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double sample = run.buffer(0).at(i);
    if (sample >= lower && sample < upper) inside += 1.0;
  }
  double counted = 0.0;
  for (std::size_t i = 0; i < bins; ++i) counted += run.buffer(1).at(i);
  if (counted == inside) return "";
  return std::to_string(counted) + " samples are counted, " + std::to_string(inside) +
         " are between the levels";
}

}  // namespace warptune::emulation

#define WARPTUNE_PROPERTY warptune::emulation::property_histogram
