#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

// f16 and bf16 are computed in f32 and then rounded again. Sums and products in double are exact for them. A
// fused multiply-add of f32 is rounded from long double, whose 64 bits are almost always enough.
inline std::vector<double> expected_elementwise(const Case& run) {
  const Buffer& a = run.buffer(0);
  const Buffer& b = run.buffer(1);
  const double alpha = run.problem("alpha"), low = run.problem("low"), high = run.problem("high");
  const bool narrow = a.type() == "f16" || a.type() == "bf16";
  const bool is_double = a.type() == "f64";
  const bool scale = run.is("operation", "scale"), add = run.is("operation", "add");
  const bool triad = run.is("operation", "triad"), relu = run.is("operation", "relu");
  const bool clamp = run.is("operation", "clamp");
  const bool is_float = a.type() == "f32" || narrow;
  std::vector<double> expected(run.size("N"));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double value = a.at(i);
    if (scale) {
      value = alpha * value;
    } else if (add) {
      value = value + b.at(i);
    } else if (triad) {
      const long double product = static_cast<long double>(alpha) * static_cast<long double>(b.at(i));
      if (is_double) {
        value = std::fma(alpha, b.at(i), value);
      } else if (is_float) {
        value = static_cast<double>(static_cast<float>(product + static_cast<long double>(value)));
      } else {
        value = static_cast<double>(product + static_cast<long double>(value));
      }
    } else if (relu) {
      value = value < 0.0 ? 0.0 : value;
    } else if (clamp) {
      value = value < low ? low : value > high ? high : value;
    }
    expected[i] = run.buffer(2).rounded(value);
  }
  return expected;
}

}  // namespace warptune::emulation
