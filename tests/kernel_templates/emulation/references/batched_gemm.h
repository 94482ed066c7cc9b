#pragma once

#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_batched_gemm(const Case& run) {
  const std::size_t m = run.size("M"), n = run.size("N"), k = run.size("K"), batch = run.size("BATCH");
  std::vector<double> expected(batch * m * n);
  for (std::size_t row = 0; row < batch * m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0.0;
      for (std::size_t l = 0; l < k; ++l) {
        sum += run.buffer(0).at(row * k + l) * run.buffer(1).at((row / m * k + l) * n + column);
      }
      expected[row * n + column] = run.buffer(2).rounded(run.problem("alpha") * sum);
    }
  }
  return expected;
}

}  // namespace warptune::emulation
