#include "search/strategies/frontier.h"

#include <algorithm>

namespace warptune::search::strategies {

namespace {

// How many of the best configurations of `StrategyOptions::source` are asked for.
constexpr std::size_t kTransferred = 3;

}  // namespace

Frontier::Frontier(const model::Space& space, const StrategyOptions& options, std::uint64_t max_misses)
    : space_(space),
      max_misses_(max_misses),
      first_(options.first.begin(), options.first.end()),
      permutation_(space.size(), options.seed) {
  std::vector<const Observation*> from_source;
  for (const Observation& observation : options.source) {
    const bool usable = observation.status == model::Status::kMeasured && observation.is_rated();
    if (usable && space.contains(observation.configuration)) from_source.push_back(&observation);
  }
  const std::size_t count = std::min(kTransferred, from_source.size());
  std::partial_sort(from_source.begin(), from_source.begin() + static_cast<std::ptrdiff_t>(count),
                    from_source.end(),
                    [](const auto* a, const auto* b) { return a->objective < b->objective; });
  for (std::size_t i = 0; i < count; ++i) first_.push_back(from_source[i]->configuration);
}

bool Frontier::claim(const model::Configuration& configuration) {
  const std::optional<std::uint64_t> index = space_.index_of(configuration);
  return index && claim_index(*index);
}

bool Frontier::is_new(const model::Configuration& configuration) const {
  const std::optional<std::uint64_t> index = space_.index_of(configuration);
  return index && seen_.count(*index) == 0;
}

std::optional<model::Configuration> Frontier::claim_first() {
  while (!first_.empty()) {
    model::Configuration configuration = std::move(first_.front());
    first_.pop_front();
    if (claim(configuration)) return configuration;
  }
  return std::nullopt;
}

std::optional<model::Configuration> Frontier::claim_random() {
  return claim_from(drawn_, [this](std::uint64_t index) { return permutation_(index); });
}

std::optional<model::Configuration> Frontier::claim_next() {
  return claim_from(next_, [](std::uint64_t index) { return index; });
}

// `Space::at` may return an invalid configuration. In a very large space, the index that `index_of` returns
// is a hash, and not the index that `at` was called with. So each configuration is looked up again by
// `index_of`.
template <class F>
std::optional<model::Configuration> Frontier::claim_from(std::uint64_t& position, const F& index_at) {
  for (std::uint64_t misses = 0; position < space_.size() && misses < max_misses_;) {
    model::Configuration configuration = space_.at(index_at(position++));
    const std::optional<std::uint64_t> index = space_.index_of(configuration);
    if (index && claim_index(*index)) return configuration;
    misses = index ? 0 : misses + 1;
  }
  return std::nullopt;
}

}  // namespace warptune::search::strategies
