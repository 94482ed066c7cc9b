#pragma once

// What the shipped kernels and the example must compute, in double and in the plainest way. `arguments` are
// in the order of the definitions.

#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_vector_add(const Case& run) {
  std::vector<double> expected(run.size("N"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = run.buffer(2).rounded(run.buffer(0).at(i) + run.buffer(1).at(i));
  }
  return expected;
}

inline std::vector<double> expected_transpose(const Case& run) {
  const std::size_t rows = run.size("M");
  const std::size_t columns = run.size("N");
  std::vector<double> expected(rows * columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      expected[column * rows + row] = run.buffer(0).at(row * columns + column);
    }
  }
  return expected;
}

inline std::vector<double> expected_reduction(const Case& run) {
  const bool dot = run.problem("operation=dot") != 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < run.size("N"); ++i) {
    sum += dot ? run.buffer(0).at(i) * run.buffer(1).at(i) : run.buffer(0).at(i);
  }
  return {sum};
}

inline std::vector<double> expected_sgemm(const Case& run) {
  const std::size_t m = run.size("M"), n = run.size("N"), k = run.size("K");
  std::vector<double> a(m * k), b(k * n), expected(m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = run.buffer(0).at(i);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = run.buffer(1).at(i);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t l = 0; l < k; ++l) {
      const double factor = run.problem("alpha") * a[row * k + l];
      for (std::size_t column = 0; column < n; ++column)
        expected[row * n + column] += factor * b[l * n + column];
    }
  }
  if (run.problem("beta") != 0.0) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] += run.problem("beta") * run.buffer(2).first_at(i);
  }
  return expected;
}

inline std::vector<double> expected_window_sum(const Case& run) {
  std::vector<double> expected(run.size("COUNT"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < run.size("WIDTH"); ++j) expected[i] += run.buffer(0).at(i + j);
  }
  return expected;
}

}  // namespace warptune::emulation
