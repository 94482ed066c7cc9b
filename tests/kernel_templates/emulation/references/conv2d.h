#pragma once

#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_conv2d(const Case& run) {
  const std::size_t height = run.size("HEIGHT"), width = run.size("WIDTH");
  const std::size_t rows = run.size("FILTER_HEIGHT"), columns = run.size("FILTER_WIDTH");
  const bool zero = run.is("border", "zero");
  // The image with its border, so that the filter is always within it.
  const std::size_t wide = zero ? width + columns - 1 : width;
  const std::size_t high = zero ? height + rows - 1 : height;
  std::vector<double> image(high * wide);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      image[(y + (zero ? rows / 2 : 0)) * wide + x + (zero ? columns / 2 : 0)] =
          run.buffer(0).at(y * width + x);
    }
  }
  std::vector<double> expected;
  for (std::size_t y = 0; y + rows <= high; ++y) {
    for (std::size_t x = 0; x + columns <= wide; ++x) {
      double sum = 0.0;
      for (std::size_t i = 0; i < rows * columns; ++i) {
        sum += run.buffer(1).at(i) * image[(y + i / columns) * wide + x + i % columns];
      }
      expected.push_back(run.buffer(2).rounded(sum));
    }
  }
  return expected;
}

}  // namespace warptune::emulation
