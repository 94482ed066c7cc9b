#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/space.h"

namespace warptune::search::models {

/// Options of a forest. The defaults had the smallest error on 16 recorded spaces of 210 to 17,956 rows: each
/// split tries all parameters, and trees are fully grown, because times have little noise.
struct ForestOptions {
  std::size_t trees = 64;
  std::size_t min_in_leaf = 1;       ///< The minimum number of rows in a leaf.
  double share_of_parameters = 1.0;  ///< The share of parameters that each split tries, rounded up.
  std::uint64_t seed = 1;
};

/// The out-of-bag error: each row is predicted only by the trees whose bootstrap sample does not contain it.
struct ForestError {
  std::size_t rows = 0;                ///< The number of rows that at least one tree has not seen.
  double median_relative_error = 0.0;  ///< The median relative error of exp(response).
  double r_squared = 0.0;  ///< The share of the response's variance that is explained. It is negative if the
                           ///< forest is worse than the mean, and 0 if the response does not vary.
};

/// A regression forest over configurations (Breiman, Machine Learning 45, 2001). The result is the same on
/// every machine for the same input and seed.
///
/// Each tree grows on a bootstrap sample. Each split tries some of the parameters. It minimises the sum of
/// the squared differences between the responses and the mean of their side. The values of a number are split
/// in ascending order. Texts are first sorted by their mean response in the node. A cut of this order is
/// always the best division of the texts into two sets (Fisher, J. Am. Stat. Assoc. 53, 1958).
class Forest {
 public:
  /// `responses` has one finite value for each configuration, usually the logarithm of a time. Throws
  /// `std::invalid_argument` if there are no configurations, no trees, or not as many responses as
  /// configurations.
  Forest(const std::vector<model::Parameter>& parameters,
         const std::vector<model::Configuration>& configurations, std::span<const double> responses,
         const ForestOptions& options = {});

  double predict(const model::Configuration& configuration) const;
  /// The same for each of several configurations, in less time than one by one.
  std::vector<double> predict_all(std::span<const model::Configuration> configurations) const;
  const ForestError& error() const { return error_; }

 private:
  friend class TreeGrower;
  struct Node {
    double mean = 0.0;
    std::uint32_t parameter = 0;
    std::uint32_t table = 0;  // An inner node: the index of the parameter's first value in `goes_left_`.
    std::uint32_t left = 0;   // The left child; the right one follows it. 0 for a leaf.
  };
  double predict(std::uint32_t root, const model::Configuration& configuration) const;

  std::vector<Node> nodes_;
  std::vector<std::uint8_t> goes_left_;  // 1 for a value that goes to the left child, else 0.
  std::vector<std::uint32_t> roots_;
  ForestError error_;
};

}  // namespace warptune::search::models
