#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "model/parameter.h"
#include "model/space.h"

namespace warptune::search::models {

/// Configurations as points between which a model can measure distances: a few columns a parameter, each
/// within [0, 1].
///
/// Numbers and booleans give their position among the sorted values; text gives one column a value. Integers
/// that are not all powers of two give, beside, how often two divides them: what is aligned to warps, sectors
/// and banks behaves alike however far apart it stands; `alignment` leaves that out. Parameters of one value
/// give nothing.
class FeatureMap {
 public:
  explicit FeatureMap(const std::vector<model::Parameter>& parameters, bool alignment = true);

  std::size_t size() const { return groups_.size(); }
  /// For each column the length scale it shares.
  const std::vector<std::size_t>& groups() const { return groups_; }
  /// For each length scale the logarithm of what it is expected to be.
  const Eigen::VectorXd& expected_log_lengths() const { return expected_log_lengths_; }

  Eigen::VectorXf features(const model::Configuration& configuration) const;

 private:
  struct Block {  // The columns of one parameter.
    std::size_t parameter = 0;
    std::size_t first_column = 0;
    Eigen::MatrixXf by_value;  // A column a value.
  };

  void add(std::size_t parameter, Eigen::MatrixXf by_value, double log_length);

  std::vector<Block> blocks_;
  std::vector<std::size_t> groups_;
  Eigen::VectorXd expected_log_lengths_;
};

}  // namespace warptune::search::models
