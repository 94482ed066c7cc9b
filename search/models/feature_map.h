#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "model/parameter.h"
#include "model/space.h"

namespace warptune::search::models {

/// Maps configurations to vectors of features, between which a model can measure distances. All features are
/// within [0, 1].
///
/// A numeric or boolean parameter has one feature: the position of its value among the sorted values. A text
/// parameter has one feature for each value (one-hot encoding). An integer parameter whose values are not all
/// powers of two has a second feature: how often two divides the value. Values that are aligned to warps,
/// sectors and banks behave similarly, even if they are far from each other. `alignment` = false leaves this
/// feature out. A parameter with only one value has no feature.
class FeatureMap {
 public:
  explicit FeatureMap(const std::vector<model::Parameter>& parameters, bool alignment = true);

  std::size_t size() const { return groups_.size(); }
  /// For each feature, the number of its length scale. The features of a text parameter share one.
  const std::vector<std::size_t>& groups() const { return groups_; }
  /// For each length scale, the logarithm of its expected value.
  const Eigen::VectorXd& expected_log_lengths() const { return expected_log_lengths_; }

  Eigen::VectorXf features(const model::Configuration& configuration) const;

 private:
  struct Block {  // Features of one parameter that share a length scale.
    std::size_t parameter = 0;
    std::size_t first_column = 0;
    Eigen::MatrixXf by_value;  // Features x values of the parameter.
  };

  void add(std::size_t parameter, Eigen::MatrixXf by_value, double log_length);

  std::vector<Block> blocks_;
  std::vector<std::size_t> groups_;
  Eigen::VectorXd expected_log_lengths_;
};

}  // namespace warptune::search::models
