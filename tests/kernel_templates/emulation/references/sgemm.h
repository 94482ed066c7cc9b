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
  const double alpha = run.problem("alpha");
  for (std::size_t row = 0; row < batch * m; ++row) {
    double* sums = &expected[row * n];
    for (std::size_t l = 0; l < k; ++l) {
      const double factor = alpha * a[row * k + l];
      const double* row_of_b = &b[(row / m * k + l) * n];
      for (std::size_t column = 0; column < n; ++column) sums[column] += factor * row_of_b[column];
    }
  }
  const double beta = run.problem("beta");
  if (beta != 0.0) {
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += beta * run.buffer(2).first_at(i);
  }
  return expected;
}

}  // namespace warptune::emulation
