#pragma once

#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_batched_gemm(const Case& run) {
  const std::size_t m = run.size("M"), n = run.size("N"), k = run.size("K"), batch = run.size("BATCH");
  std::vector<double> a(batch * m * k), b(batch * k * n), expected(batch * m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = run.buffer(0).at(i);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = run.buffer(1).at(i);
  const double alpha = run.problem("alpha");
  for (std::size_t row = 0; row < batch * m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0.0;
      const double* row_of_a = &a[row * k];
      const double* column_of_b = &b[row / m * k * n + column];
      for (std::size_t l = 0; l < k; ++l) sum += row_of_a[l] * column_of_b[l * n];
      expected[row * n + column] = run.buffer(2).rounded(alpha * sum);
    }
  }
  return expected;
}

}  // namespace warptune::emulation
