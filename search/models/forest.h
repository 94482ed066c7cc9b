#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/space.h"

namespace warptune::search::models {

/// The defaults have the least error on 16 recorded spaces of 210 to 17,956 rows: all parameters tried at
/// every split, and trees that are fully grown, as times hardly scatter.
struct ForestOptions {
  std::size_t trees = 64;
  std::size_t min_in_leaf = 1;       ///< Rows.
  double share_of_parameters = 1.0;  ///< That each split may choose among, rounded up.
  std::uint64_t seed = 1;
};

/// How far a forest is off for rows that its trees have not seen (each row by the trees whose sample lacks
/// it).
struct ForestError {
  std::size_t rows = 0;                ///< That some tree has not seen.
  double median_relative_error = 0.0;  ///< Of exp(response): the response is a logarithm.
  double r_squared = 0.0;  ///< Share of the response's variance explained; below 0: worse than its mean. 0
                           ///< where the response does not vary.
};

/// A regression forest over configurations (Breiman, Machine Learning 45, 2001): each tree grows on a
/// bootstrap sample, each split takes the least sum of squares among some of the parameters. Numbers split by
/// their order; texts by the order of their mean response in the node, which contains the best of all
/// divisions (Fisher, J. Am. Stat. Assoc. 53, 1958). The same for the same input and seed everywhere.
class Forest {
 public:
  /// `responses` are finite, one a configuration; neither may be empty. Throws `std::invalid_argument`
  /// otherwise.
  Forest(const std::vector<model::Parameter>& parameters,
         const std::vector<model::Configuration>& configurations, std::span<const double> responses,
         const ForestOptions& options = {});

  double predict(const model::Configuration& configuration) const;
  const ForestError& error() const { return error_; }

 private:
  friend class TreeGrower;
  struct Node {
    double mean = 0.0;
    std::uint32_t parameter = 0;
    std::uint32_t table = 0;  // Where the parameter's values begin in `goes_left_`; of an inner node.
    std::uint32_t left = 0;   // 0: a leaf. The right child follows the left.
  };
  double predict(std::uint32_t root, const model::Configuration& configuration) const;

  std::vector<Node> nodes_;
  std::vector<bool> goes_left_;
  std::vector<std::uint32_t> roots_;
  ForestError error_;
};

}  // namespace warptune::search::models
