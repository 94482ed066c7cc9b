#include "search/strategies/candidate_list.h"

namespace warptune::search::strategies {

void CandidateList::clear() {
  configurations_.clear();
  taken_.clear();
  columns_.clear();
  by_index_.clear();
}

bool CandidateList::add(const model::Configuration& configuration, std::uint64_t index) {
  if (!by_index_.try_emplace(index, configurations_.size()).second) return false;
  configurations_.push_back(configuration);
  taken_.push_back(0);
  columns_.push_back(features_.features(configuration));
  return true;
}

void CandidateList::take(std::uint64_t index) {
  const auto found = by_index_.find(index);
  if (found != by_index_.end()) taken_[found->second] = 1;
}

Eigen::MatrixXf CandidateList::features_from(std::size_t first) const {
  Eigen::MatrixXf columns(static_cast<Eigen::Index>(features_.size()),
                          static_cast<Eigen::Index>(columns_.size() - first));
  for (std::size_t c = first; c < columns_.size(); ++c)
    columns.col(static_cast<Eigen::Index>(c - first)) = columns_[c];
  return columns;
}

}  // namespace warptune::search::strategies
