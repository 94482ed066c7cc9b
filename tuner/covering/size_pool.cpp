#include "tuner/covering/size_pool.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace warptune::tuner::covering {

using covers::ListedSize;
using covers::Size;
using covers::SizeEntry;
using covers::SizeRange;
using covers::Spread;

namespace {

// The corners combine both ends of the first entries whose ends differ, at most so many. All other entries
// have their lowest value in every corner.
constexpr std::size_t kMaxCornerEntries = 4;

double log_uniform_between(double low, double high, base::Random& random) {
  return std::exp2(std::log2(low) + random.unit() * (std::log2(high) - std::log2(low)));
}

std::int64_t any_between(std::int64_t low, std::int64_t high, base::Random& random) {
  // One more than the highest, so that the highest has its share too.
  const double drawn = log_uniform_between(static_cast<double>(low), static_cast<double>(high) + 1.0, random);
  return std::clamp(static_cast<std::int64_t>(drawn), low, high);
}

std::int64_t nearest_of(const SizeEntry& entry, std::int64_t value) {
  if (entry.spread == Spread::kStep) {
    const std::int64_t steps = (value - entry.low + entry.step / 2) / entry.step;
    return entry.low + std::min(steps, (entry.high - entry.low) / entry.step) * entry.step;
  }
  if (entry.spread != Spread::kListed) return value;
  return *std::min_element(entry.values.begin(), entry.values.end(), [&](std::int64_t a, std::int64_t b) {
    return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(value))) <
           std::abs(std::log2(static_cast<double>(b) / static_cast<double>(value)));
  });
}

std::int64_t draw_value(const SizeEntry& entry, base::Random& random) {
  if (entry.spread == Spread::kListed) return entry.values[random.below(entry.values.size())];
  if (entry.spread == Spread::kLogarithmic && random.below(2) == 0) {
    std::uint64_t doublings = 1;
    while ((entry.low << doublings) <= entry.high) ++doublings;
    return entry.low << random.below(doublings);
  }
  return nearest_of(entry, any_between(entry.low, entry.high, random));
}

std::int64_t middle_of(const SizeEntry& entry) {
  const double middle = std::sqrt(static_cast<double>(entry.low) * static_cast<double>(entry.high));
  if (entry.spread == Spread::kLogarithmic) {
    const double steps = std::round(std::log2(middle / static_cast<double>(entry.low)));
    return entry.low << static_cast<int>(steps);
  }
  return nearest_of(entry, static_cast<std::int64_t>(std::llround(middle)));
}

Size middle_of(const SizeRange& range) {
  Size middle;
  for (const SizeEntry& entry : range.entries) middle.push_back(middle_of(entry));
  return middle;
}

std::vector<Size> corners_of(const SizeRange& range) {
  std::vector<Size> corners = {{}};
  std::size_t wide = 0;
  for (const SizeEntry& entry : range.entries) {
    const bool is_wide = entry.high > entry.low && ++wide <= kMaxCornerEntries;
    std::vector<Size> longer;
    for (const Size& corner : corners) {
      for (const std::int64_t value : {entry.low, entry.high}) {
        if (!is_wide && value != entry.low) continue;
        longer.push_back(corner);
        longer.back().push_back(nearest_of(entry, value));
        if (entry.low == entry.high) break;
      }
    }
    corners = std::move(longer);
  }
  return corners;
}

}  // namespace

double size_count(const SizeRange& range) {
  constexpr double kMax = 1e9;
  if (!range.listed.empty()) return static_cast<double>(range.listed.size());
  double product = 1.0;
  for (const SizeEntry& entry : range.entries) {
    product *=
        entry.spread == Spread::kListed
            ? static_cast<double>(entry.values.size())
            : std::floor(static_cast<double>(entry.high - entry.low) / static_cast<double>(entry.step)) + 1.0;
  }
  return std::min(product, kMax);
}

ListedSize draw_size(const SizeRange& range, base::Random& random) {
  if (!range.listed.empty()) {
    double sum = 0.0;
    for (const ListedSize& one : range.listed) sum += one.weight;
    double left = random.unit() * sum;
    for (const ListedSize& one : range.listed) {
      left -= one.weight;
      if (left < 0.0) return one;
    }
    return range.listed.back();
  }
  ListedSize drawn;
  for (const SizeEntry& entry : range.entries) drawn.size.push_back(draw_value(entry, random));
  return drawn;
}

std::vector<ListedSize> size_pool(const SizeRange& range, std::size_t count, std::uint64_t seed) {
  if (!range.listed.empty()) return range.listed;
  std::vector<ListedSize> pool;
  std::set<Size> known;
  const auto add = [&](Size size) {
    if (known.insert(size).second) pool.push_back({std::move(size), 1.0});
  };
  add(middle_of(range));
  for (Size& corner : corners_of(range)) add(std::move(corner));
  base::Random random(seed);
  for (std::size_t i = 0; i < 4 * count && pool.size() < count; ++i) add(draw_size(range, random).size);
  return pool;
}

std::vector<ListedSize> spread_out(const SizeRange& range, const std::vector<ListedSize>& pool,
                                   std::size_t count) {
  std::vector<ListedSize> chosen;
  std::vector<double> far(pool.size(), 0.0);
  const Size middle = middle_of(range);
  for (std::size_t p = 0; p < pool.size(); ++p) far[p] = -covers::distance(pool[p].size, middle);
  while (chosen.size() < std::min(count, pool.size())) {
    const auto next = static_cast<std::size_t>(std::max_element(far.begin(), far.end()) - far.begin());
    const bool is_first = chosen.empty();
    chosen.push_back(pool[next]);
    for (std::size_t p = 0; p < pool.size(); ++p) {
      const double near = std::sqrt(pool[p].weight) * covers::distance(pool[p].size, pool[next].size);
      far[p] = is_first ? near : std::min(far[p], near);
    }
  }
  return chosen;
}

}  // namespace warptune::tuner::covering
