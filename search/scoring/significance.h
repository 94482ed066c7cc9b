#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warptune::search::scoring {

/// The result of a test whether paired differences are symmetric around zero.
struct SignedRankTest {
  std::size_t below = 0;  ///< The number of negative differences.
  std::size_t above = 0;  ///< The number of positive differences.
  double p_value = 1.0;   ///< Two-sided; 1 if all differences are zero.
};

/// Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945). Zeros and NaN are left out. Differences of
/// equal size share their mean rank. The test is exact for up to 50 differences. For more it uses the normal
/// approximation, corrected for ties and continuity.
SignedRankTest signed_rank_test(std::span<const double> differences);

/// The p-values of several comparisons, corrected for their number: Holm, Scandinavian Journal of Statistics
/// 6 (1979). The correction bounds the probability of at least one false rejection. The order is kept.
std::vector<double> holm_adjusted(std::span<const double> p_values);

/// A mean with its 95 % bootstrap percentile interval.
struct MeanInterval {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// The mean over groups (recordings) of the mean over their items (runs). The bootstrap resamples the groups,
/// and then the items within each. No group may be empty. Without groups there is no mean.
std::optional<MeanInterval> bootstrap_mean(std::span<const std::vector<double>> groups,
                                           std::uint64_t seed = 1);

}  // namespace warptune::search::scoring
