// Greedy first (Chvatal, A greedy heuristic for the set-covering problem, 1979), then branch and bound: the
// element that the fewest sets contain is branched on. A bound for the rest: no set contains more of the
// remaining elements than the largest one.
#include "tuner/covers/set_cover.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace warptune::tuner::covers {

namespace {

using Bits = std::vector<std::uint64_t>;

std::size_t count(const Bits& bits) {
  std::size_t sum = 0;
  for (const std::uint64_t word : bits) sum += static_cast<std::size_t>(__builtin_popcountll(word));
  return sum;
}

std::size_t count_common(const Bits& a, const Bits& b) {
  std::size_t sum = 0;
  for (std::size_t w = 0; w < a.size(); ++w)
    sum += static_cast<std::size_t>(__builtin_popcountll(a[w] & b[w]));
  return sum;
}

bool has(const Bits& bits, std::size_t element) { return (bits[element / 64] >> (element % 64) & 1U) != 0; }

Bits without(Bits from, const Bits& removed) {
  for (std::size_t w = 0; w < from.size(); ++w) from[w] &= ~removed[w];
  return from;
}

bool is_within(const Bits& a, const Bits& b) { return count_common(a, b) == count(a); }

class CoverFinder {
 public:
  CoverFinder(const std::vector<std::vector<bool>>& sets, std::size_t max_steps) : max_steps_(max_steps) {
    const std::size_t elements = sets.empty() ? 0 : sets.front().size();
    all_.assign((elements + 63) / 64, 0);
    for (const std::vector<bool>& set : sets) {
      Bits bits(all_.size(), 0);
      for (std::size_t e = 0; e < elements; ++e) {
        if (set[e]) bits[e / 64] |= std::uint64_t{1} << (e % 64);
      }
      for (std::size_t w = 0; w < bits.size(); ++w) all_[w] |= bits[w];
      sets_.push_back(std::move(bits));
    }
    order_sets();
  }

  std::vector<std::size_t> find() {
    best_ = greedy();
    std::vector<std::size_t> chosen;
    branch(all_, chosen);
    std::sort(best_.begin(), best_.end());
    return best_;
  }

 private:
  // The larger sets first. Sets within another one are never needed.
  void order_sets() {
    order_.resize(sets_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return count(sets_[a]) > count(sets_[b]); });
    std::vector<std::size_t> kept;
    for (const std::size_t s : order_) {
      const bool needless =
          std::any_of(kept.begin(), kept.end(), [&](std::size_t k) { return is_within(sets_[s], sets_[k]); });
      if (!needless) kept.push_back(s);
    }
    order_ = std::move(kept);
  }

  std::size_t largest(const Bits& rest) const {
    return *std::max_element(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return count_common(sets_[a], rest) < count_common(sets_[b], rest);
    });
  }

  std::vector<std::size_t> greedy() const {
    std::vector<std::size_t> chosen;
    Bits rest = all_;
    while (count(rest) > 0) {
      chosen.push_back(largest(rest));
      rest = without(std::move(rest), sets_[chosen.back()]);
    }
    return chosen;
  }

  std::size_t rarest(const Bits& rest) const {
    std::size_t found = 0;
    std::size_t fewest = SIZE_MAX;
    for (std::size_t e = 0; e < 64 * rest.size(); ++e) {
      if (!has(rest, e)) continue;
      const auto holders = static_cast<std::size_t>(
          std::count_if(order_.begin(), order_.end(), [&](std::size_t s) { return has(sets_[s], e); }));
      if (holders < fewest) {
        fewest = holders;
        found = e;
      }
    }
    return found;
  }

  void branch(const Bits& rest, std::vector<std::size_t>& chosen) {
    const std::size_t left = count(rest);
    if (left == 0) {
      if (chosen.size() < best_.size()) best_ = chosen;
      return;
    }
    if (++steps_ > max_steps_) return;
    const std::size_t most = count_common(sets_[largest(rest)], rest);
    if (chosen.size() + (left + most - 1) / most >= best_.size()) return;
    const std::size_t element = rarest(rest);
    std::vector<std::size_t> holders;
    for (const std::size_t s : order_) {
      if (has(sets_[s], element)) holders.push_back(s);
    }
    std::stable_sort(holders.begin(), holders.end(), [&](std::size_t a, std::size_t b) {
      return count_common(sets_[a], rest) > count_common(sets_[b], rest);
    });
    for (const std::size_t s : holders) {
      chosen.push_back(s);
      branch(without(rest, sets_[s]), chosen);
      chosen.pop_back();
    }
  }

  std::vector<Bits> sets_;
  std::vector<std::size_t> order_;
  Bits all_;
  std::vector<std::size_t> best_;
  std::size_t max_steps_;
  std::size_t steps_ = 0;
};

}  // namespace

std::vector<std::size_t> minimum_cover(const std::vector<std::vector<bool>>& sets, std::size_t max_steps) {
  return CoverFinder(sets, max_steps).find();
}

}  // namespace warptune::tuner::covers
