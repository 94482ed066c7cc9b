#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/space.h"
#include "search/models/feature_map.h"

namespace warptune::search::strategies {

/// Configurations a model chooses among, with their features one a column.
class CandidateList {
 public:
  explicit CandidateList(const models::FeatureMap& features) : features_(features) {}

  void clear();
  /// Adds what is not listed yet; `index` is a configuration's in its space. False when it is listed.
  bool add(const model::Configuration& configuration, std::uint64_t index);
  /// The candidate is no more to be chosen; nothing when it is none.
  void take(std::uint64_t index);

  std::size_t size() const { return configurations_.size(); }
  const model::Configuration& configuration(std::size_t candidate) const {
    return configurations_[candidate];
  }
  bool taken(std::size_t candidate) const { return taken_[candidate] != 0; }
  /// Of the candidates from `first` on.
  Eigen::MatrixXf features_from(std::size_t first) const;

 private:
  const models::FeatureMap& features_;
  std::vector<model::Configuration> configurations_;
  std::vector<char> taken_;
  std::vector<Eigen::VectorXf> columns_;
  std::unordered_map<std::uint64_t, std::size_t> by_index_;
};

}  // namespace warptune::search::strategies
