#pragma once

// The results of gemm_tc, computed in double in the simplest way.

#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_gemm_tc(const Case& run) {
  const std::size_t m = run.size("M"), n = run.size("N"), k = run.size("K");
  const bool b_is_kn = run.is("b_layout", "kn");
  std::vector<double> a(m * k), b(k * n), expected(m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = run.buffer(0).at(i);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = run.buffer(1).at(i);
  const std::size_t step = b_is_kn ? n : 1;
  const double alpha = run.problem("alpha"), beta = run.problem("beta");
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0.0;
      const double* row_of_a = &a[row * k];
      const double* column_of_b = b_is_kn ? &b[column] : &b[column * k];
      for (std::size_t l = 0; l < k; ++l) sum += row_of_a[l] * column_of_b[l * step];
      expected[row * n + column] = alpha * sum;
    }
  }
  if (beta != 0.0) {
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += beta * run.buffer(2).first_at(i);
  }
  return expected;
}

}  // namespace warptune::emulation
