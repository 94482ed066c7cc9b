// The expected time of a configuration as a formula of the sizes, fitted to measured times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/value.h"
#include "tuner/covers/launch_shape.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covers {

/// That the value of an entry is not a multiple of a number. Accesses are then less aligned, and the time may
/// be longer.
struct Misalignment {
  std::size_t entry = 0;
  std::int64_t unit = 1;

  bool operator==(const Misalignment&) const = default;
};

/// The terms whose sum is the time of a configuration. The grid has `blocks` blocks. In each wave, every SM
/// has `slots` of them. Each block works alone through some of the sizes, whose product is `inner`. The terms
/// are 1, waves, waves * inner, blocks in an SM, blocks in an SM * inner, inner, and the product of all
/// sizes. A misalignment adds three that count only where it is present: 1, waves * inner, and blocks in an
/// SM * inner.
struct CostForm {
  std::vector<Misalignment> misalignments{};
};

/// How a form becomes the time of one configuration.
struct SizeCost {
  std::int64_t slots = 1;         ///< How many blocks an SM is taken to run at once.
  std::vector<double> factors{};  ///< One for each term, in us. None is negative.
};

/// A measured time of one configuration.
struct TimedSize {
  Size size;
  double time_us = 0.0;
  double loss = 0.0;  ///< Against the best of the size, as a share. Where it is large, the time matters less.
};

/// The fit of one configuration, and how far it is from the times.
struct CostFit {
  SizeCost cost;
  double error = 0.0;  ///< The weighted sum of squares of relative errors.
};

/// The cost with the smallest error for a configuration. With `slots`, only its factors are fitted. No value
/// if the grid of the configuration cannot be computed at one of the sizes, or if there are no sizes.
std::optional<CostFit> fit_cost(const LaunchShape& shape, const CostForm& form,
                                const model::NamedValues& configuration, const std::vector<TimedSize>& timed,
                                std::optional<std::int64_t> slots = std::nullopt);

/// The misalignments that lower the errors of all these configurations together. `timed` has the times of
/// each of them.
CostForm choose_form(const LaunchShape& shape, const std::vector<model::NamedValues>& configurations,
                     const std::vector<std::vector<TimedSize>>& timed);

/// The expected time in us. No value if the grid cannot be computed.
std::optional<double> cost_at(const LaunchShape& shape, const CostForm& form,
                              const model::NamedValues& configuration, const SizeCost& cost,
                              const Size& size);

/// The cost as an expression of a definition, in us.
std::string cost_text(const LaunchShape& shape, const CostForm& form, const model::NamedValues& configuration,
                      const SizeCost& cost);

}  // namespace warptune::tuner::covers
