#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warptune::search::scoring {

/// Of paired differences, those below zero and above it, and how likely so lopsided an outcome is by chance.
struct SignedRankTest {
  std::size_t below = 0;
  std::size_t above = 0;
  double p_value = 1.0;  ///< Two-sided; 1 when all differences are zero.
};

/// Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945): zeros left out, equal sizes share their mean
/// rank; exact up to 50 differences (all signs equally likely), beyond that the normal approximation
/// corrected for ties and continuity.
SignedRankTest signed_rank_test(std::span<const double> differences);

/// p-values of several comparisons, corrected so that the chance of any false one is bounded: Holm,
/// Scandinavian Journal of Statistics 6 (1979). In the order given.
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// A mean with its 95 % bootstrap interval (percentiles).
struct MeanInterval {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// The mean over groups (recordings) of the mean over their items (runs); groups are resampled, then items in
/// each. No group may be empty. All NaN for no groups.
MeanInterval bootstrap_mean(std::span<const std::vector<double>> groups, std::uint64_t seed = 1);

}  // namespace warptune::search::scoring
