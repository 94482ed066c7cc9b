#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>
#include <vector>

#include "search/strategies/permutation.h"
#include "search/strategy.h"

namespace warptune::search::strategies {

/// The configurations that a strategy has seen, and those that are left. With it, strategies ask only for
/// valid configurations, and for each one only once.
class Frontier {
 public:
  /// The maximum number of consecutive indices without a valid configuration, in a space whose diagrams leave
  /// out constraints. Trying so many takes one or two seconds.
  static constexpr std::uint64_t kMaxMisses = std::uint64_t{1} << 20;

  Frontier(const model::Space& space, const StrategyOptions& options, std::uint64_t max_misses = kMaxMisses);

  const model::Space& space() const { return space_; }
  /// Marks a valid configuration as seen. Returns false if it is invalid or was seen before.
  bool claim(const model::Configuration& configuration);
  bool is_new(const model::Configuration& configuration) const;
  /// The number of valid configurations that `ask` returned or `tell` reported so far.
  std::size_t seen() const { return seen_.size(); }

  /// Claims the next configuration of `StrategyOptions::first` that is valid and new. After these follow the
  /// best ones of `StrategyOptions::source`. Returns std::nullopt if none is left.
  std::optional<model::Configuration> claim_first();
  /// Claims a new configuration at random: uniformly and without replacement. Returns std::nullopt if the
  /// space is exhausted, or if `max_misses` consecutive indices gave no valid configuration.
  std::optional<model::Configuration> claim_random();
  /// Claims the new configuration with the smallest index. Returns std::nullopt in the same cases.
  std::optional<model::Configuration> claim_next();

 private:
  template <class F>
  std::optional<model::Configuration> claim_from(std::uint64_t& position, const F& index_at);
  bool claim_index(std::uint64_t index) { return seen_.insert(index).second; }

  model::Space space_;
  std::uint64_t max_misses_;
  std::deque<model::Configuration> first_;
  std::unordered_set<std::uint64_t> seen_;
  Permutation permutation_;
  std::uint64_t drawn_ = 0;  // Position in the permutation.
  std::uint64_t next_ = 0;   // The next index for `claim_next`.
};

}  // namespace warptune::search::strategies
