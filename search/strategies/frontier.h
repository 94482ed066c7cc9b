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

/// What a strategy has seen of a space and what is left: the part of the contract that all strategies share.
class Frontier {
 public:
  /// Indices in a row of no valid configuration, in a space with constraints left out: a second or two.
  static constexpr std::uint64_t kMaxMisses = std::uint64_t{1} << 20;

  Frontier(const model::Space& space, const StrategyOptions& options, std::uint64_t max_misses = kMaxMisses);

  const model::Space& space() const { return space_; }
  /// Marks a valid configuration as asked for; false when it is not valid or was seen before.
  bool claim(const model::Configuration& configuration);
  bool is_new(const model::Configuration& configuration) const;
  /// Valid configurations asked for or told so far.
  std::size_t seen() const { return seen_.size(); }

  /// The next of `StrategyOptions::first`, then of the best of its `source`, that is valid and new, claimed.
  std::optional<model::Configuration> claim_first();
  /// A new configuration by chance, uniform without replacement, claimed; nothing once the space is used up,
  /// or where constraints are left out of it and `max_misses` indices in a row are of no valid
  /// configuration.
  std::optional<model::Configuration> claim_random();
  /// The least new configuration by index, claimed; nothing as above.
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
  std::uint64_t drawn_ = 0;  // Of the permutation.
  std::uint64_t next_ = 0;   // By index.
};

}  // namespace warptune::search::strategies
