#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "emulated_case.h"

namespace warptune::emulation {

inline std::vector<double> expected_coulomb(const Case& run) {
  const std::size_t atoms = run.size("ATOMS");
  const bool together = run.is("layout", "aos");
  const auto number = [&](std::size_t atom, std::size_t component) {
    return run.buffer(0).at(together ? 4 * atom + component : component * atoms + atom);
  };
  const float spacing = static_cast<float>(run.problem("spacing"));
  std::vector<double> atom_numbers(4 * atoms), expected;
  for (std::size_t i = 0; i < 4 * atoms; ++i) atom_numbers[i] = number(i / 4, i % 4);
  for (std::size_t z = 0; z < run.size("GRID_Z"); ++z) {
    for (std::size_t y = 0; y < run.size("GRID_Y"); ++y) {
      for (std::size_t x = 0; x < run.size("GRID_X"); ++x) {
        const double place[3] = {static_cast<float>(x) * spacing, static_cast<float>(y) * spacing,
                                 static_cast<float>(z) * spacing};
        double sum = 0.0;
        for (const double* atom = atom_numbers.data(); atom != atom_numbers.data() + 4 * atoms; atom += 4) {
          double square = 0.0;
          for (std::size_t k = 0; k < 3; ++k) {
            const double difference = atom[k] - place[k];
            square += difference * difference;
          }
          sum += atom[3] / std::sqrt(square);
        }
        expected.push_back(sum);
      }
    }
  }
  return expected;
}

}  // namespace warptune::emulation
