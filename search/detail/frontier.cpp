#include "search/detail/frontier.h"

namespace warptune::search::detail {

Frontier::Frontier(const Space& space, const StrategyOptions& options)
    : space_(space),
      first_(options.first.begin(), options.first.end()),
      permutation_(space.size(), options.seed) {}

bool Frontier::claim(const Configuration& configuration) {
  const std::optional<std::uint64_t> index = space_.index_of(configuration);
  return index && claim_index(*index);
}

bool Frontier::is_new(const Configuration& configuration) const {
  const std::optional<std::uint64_t> index = space_.index_of(configuration);
  return index && seen_.count(*index) == 0;
}

std::optional<Configuration> Frontier::claim_first() {
  while (!first_.empty()) {
    Configuration configuration = std::move(first_.front());
    first_.pop_front();
    if (claim(configuration)) return configuration;
  }
  return std::nullopt;
}

std::optional<Configuration> Frontier::claim_random() {
  while (drawn_ < space_.size()) {
    const std::uint64_t index = permutation_(drawn_++);
    if (claim_index(index)) return space_.at(index);
  }
  return std::nullopt;
}

std::optional<Configuration> Frontier::claim_next() {
  while (next_ < space_.size()) {
    const std::uint64_t index = next_++;
    if (claim_index(index)) return space_.at(index);
  }
  return std::nullopt;
}

}  // namespace warptune::search::detail
