#pragma once

#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_sgemm(const Case& run) {
  const std::size_t m = run.size("M"), n = run.size("N"), k = run.size("K"), batch = run.size("BATCH");
  std::vector<double> a(batch * m * k), b(batch * k * n), expected(batch * m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = run.buffer(0).at(i);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = run.buffer(1).at(i);
  for (std::size_t row = 0; row < batch * m; ++row) {
    const std::size_t first_b = row / m * k * n;
    for (std::size_t l = 0; l < k; ++l) {
      const double factor = run.problem("alpha") * a[row * k + l];
      for (std::size_t column = 0; column < n; ++column)
        expected[row * n + column] += factor * b[first_b + l * n + column];
    }
  }
  if (run.problem("beta") != 0.0) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += run.problem("beta") * run.buffer(2).first_at(i);
  }
  return expected;
}

}  // namespace warptune::emulation
