#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/space.h"
#include "search/models/feature_map.h"

namespace warptune::search::strategies {

/// The configurations among which a model chooses, with their features.
class CandidateList {
 public:
  explicit CandidateList(const models::FeatureMap& features) : features_(features) {}

  void clear();
  /// Adds a configuration, unless it is in the list already. `index` is its index in the space. Returns
  /// whether it was added.
  bool add(const model::Configuration& configuration, std::uint64_t index);
  /// Marks the configuration with this index as taken. Does nothing if it is not in the list.
  void take(std::uint64_t index);

  std::size_t size() const { return configurations_.size(); }
  const model::Configuration& configuration(std::size_t candidate) const {
    return configurations_[candidate];
  }
  bool taken(std::size_t candidate) const { return taken_[candidate] != 0; }
  /// The features of the candidates from `first` on, one column for each.
  Eigen::MatrixXf features_from(std::size_t first) const;

 private:
  const models::FeatureMap& features_;
  std::vector<model::Configuration> configurations_;
  std::vector<char> taken_;
  std::vector<Eigen::VectorXf> columns_;
  std::unordered_map<std::uint64_t, std::size_t> by_index_;
};

}  // namespace warptune::search::strategies
