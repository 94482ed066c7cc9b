// Learns decision lists, line by line.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "tuner/covers/decision_list.h"

namespace warptune::tuner::covers {

namespace {

constexpr std::size_t kMaxBounds = 24;  // For a feature that combines several problem entries.
constexpr std::int64_t kDivisors[] = {2, 4, 8, 16, 64};
// A larger loss counts as this. An unknown loss counts as 0 for an allowed configuration, else as this.
constexpr double kMaxLoss = 1.0;
// The weight of a line with two conditions is multiplied by this.
constexpr double kSecondCondition = 0.8;

using Bits = std::vector<std::uint64_t>;

void set_bit(Bits& bits, std::size_t e) { bits[e / 64] |= std::uint64_t{1} << (e % 64); }
bool has_bit(const Bits& bits, std::size_t e) { return (bits[e / 64] >> (e % 64) & 1U) != 0; }

Bits both(const Bits& a, const Bits& b) {
  Bits common(a.size());
  for (std::size_t w = 0; w < a.size(); ++w) common[w] = a[w] & b[w];
  return common;
}

// Whether a & b lies within c.
bool is_within(const Bits& a, const Bits& b, const Bits& c) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w] & ~c[w]) != 0) return false;
  }
  return true;
}

// A power of two in [low, high) if there is one, else a number with few digits. It lies near the geometric
// mean of both bounds.
double round_bound(double low, double high) {
  const double middle = std::sqrt(low * high);
  const double power = std::exp2(std::round(std::log2(middle)));
  for (const double candidate : {power, power / 2, power * 2}) {
    if (candidate >= low && candidate < high) return candidate;
  }
  for (int digits = 1; digits <= 15; ++digits) {
    const double unit = std::pow(10.0, std::floor(std::log10(middle)) - digits + 1);
    for (const double candidate : {std::round(middle / unit) * unit, std::floor(middle / unit) * unit}) {
      if (candidate >= low && candidate < high) return candidate;
    }
  }
  return low;
}

std::vector<SizeFeature> features_of(const std::vector<ListExample>& examples, std::size_t entries) {
  std::vector<std::size_t> varying;
  for (std::size_t e = 0; e < entries; ++e) {
    const bool varies = std::any_of(examples.begin(), examples.end(), [&](const ListExample& one) {
      return one.size[e] != examples.front().size[e];
    });
    if (varies) varying.push_back(e);
  }
  std::vector<SizeFeature> features;
  features.reserve(varying.size() * varying.size());
  for (const std::size_t e : varying) features.push_back({{e}, {}});
  for (std::size_t a = 0; a < varying.size(); ++a) {
    for (std::size_t b = a + 1; b < varying.size(); ++b) {
      features.push_back({{varying[a], varying[b]}, {}});
      features.push_back({{varying[a]}, {varying[b]}});
    }
  }
  if (varying.size() > 2) features.push_back({varying, {}});
  if (varying.size() == 3) {
    for (std::size_t d = 0; d < 3; ++d)
      features.push_back({{varying[(d + 1) % 3], varying[(d + 2) % 3]}, {varying[d]}});
  }
  return features;
}

std::vector<double> bounds_of(const std::vector<ListExample>& examples, const SizeFeature& feature) {
  std::set<double> values;
  for (const ListExample& one : examples) values.insert(feature.value(one.size));
  const std::vector<double> sorted(values.begin(), values.end());
  const bool is_plain = feature.factors.size() == 1 && feature.divisor.empty();
  const std::size_t gaps = sorted.size() - 1;
  const std::size_t count = is_plain ? gaps : std::min(gaps, kMaxBounds);
  std::vector<double> bounds;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t gap = (2 * i + 1) * gaps / (2 * count);
    bounds.push_back(round_bound(sorted[gap], sorted[gap + 1]));
  }
  return bounds;
}

struct KnownCondition {
  SizeCondition condition;
  Bits holds;
};

class ListLearner {
 public:
  ListLearner(std::vector<std::string> names, const std::vector<ListExample>& examples)
      : examples_(examples), words_((examples.size() + 63) / 64), rest_(words_, 0) {
    list_.names = std::move(names);
    for (std::size_t e = 0; e < examples.size(); ++e) set_bit(rest_, e);
    right_.assign(examples.empty() ? 0 : examples.front().allowed.size(), Bits(words_, 0));
    for (std::size_t e = 0; e < examples.size(); ++e) {
      for (std::size_t c = 0; c < right_.size(); ++c) {
        if (examples[e].allowed[c]) set_bit(right_[c], e);
      }
    }
    choose_fallback();
    make_conditions();
  }

  DecisionList learn() {
    while (weight_of(needy_) > 0.0) {
      if (!add_best()) add_single();
    }
    add_line({}, fallback_, Bits(rest_));
    return std::move(list_);
  }

 private:
  double mean_loss(std::size_t configuration) const {
    double sum = 0.0;
    for (const ListExample& one : examples_) {
      double loss = one.allowed[configuration] ? 0.0 : kMaxLoss;
      const std::optional<double> known = one.losses.empty() ? std::nullopt : one.losses[configuration];
      if (known && std::isfinite(*known)) loss = std::min(*known, kMaxLoss);
      sum += one.weight * std::log1p(loss);
    }
    return sum;
  }

  void choose_fallback() {
    for (std::size_t c = 1; c < right_.size(); ++c) {
      if (mean_loss(c) < mean_loss(fallback_)) fallback_ = c;
    }
    needy_ = wrong(rest_, fallback_);
  }

  void make_conditions() {
    const std::size_t entries = list_.names.size();
    for (const SizeFeature& feature : features_of(examples_, entries)) {
      for (const double bound : bounds_of(examples_, feature)) {
        add_condition({feature, Comparison::kAtMost, bound});
        add_condition({feature, Comparison::kAbove, bound});
      }
    }
    for (std::size_t e = 0; e < entries; ++e) {
      for (const std::int64_t divisor : kDivisors) {
        add_condition({{{e}, {}}, Comparison::kMultiple, static_cast<double>(divisor)});
        add_condition({{{e}, {}}, Comparison::kNoMultiple, static_cast<double>(divisor)});
      }
    }
  }

  void add_condition(const SizeCondition& condition) {
    Bits holds(words_, 0);
    std::size_t count = 0;
    for (std::size_t e = 0; e < examples_.size(); ++e) {
      if (!condition.holds(examples_[e].size)) continue;
      set_bit(holds, e);
      ++count;
    }
    if (count > 0 && count < examples_.size() && known_.insert(holds).second)
      conditions_.push_back({condition, std::move(holds)});
  }

  double weight_of(const Bits& bits) const { return weight_of_common(bits, bits, bits); }

  // The weight of the examples in all three.
  double weight_of_common(const Bits& a, const Bits& b, const Bits& c) const {
    double sum = 0.0;
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t common = a[w] & b[w] & c[w]; common != 0; common &= common - 1)
        sum += examples_[64 * w + static_cast<std::size_t>(__builtin_ctzll(common))].weight;
    }
    return sum;
  }

  void add_line(std::vector<SizeCondition> conditions, std::size_t configuration, const Bits& answered) {
    std::size_t sizes = 0;
    for (std::size_t e = 0; e < examples_.size(); ++e) sizes += has_bit(answered, e) ? 1U : 0U;
    list_.lines.push_back({std::move(conditions), configuration, sizes});
    for (std::size_t w = 0; w < words_; ++w) {
      rest_[w] &= ~answered[w];
      needy_[w] &= ~answered[w];
    }
  }

  struct Candidate {
    std::vector<std::size_t> conditions;
    std::size_t configuration = 0;
    double value = 0.0;
  };

  bool add_best() {
    Candidate best;
    for (std::size_t c = 0; c < right_.size(); ++c) consider(c, best);
    if (best.conditions.empty()) return false;
    Bits answered = rest_;
    std::vector<SizeCondition> conditions;
    for (const std::size_t k : best.conditions) {
      answered = both(answered, conditions_[k].holds);
      conditions.push_back(conditions_[k].condition);
    }
    add_line(std::move(conditions), best.configuration, answered);
    return true;
  }

  void consider(std::size_t configuration, Candidate& best) const {
    const Bits& right = right_[configuration];
    struct Partial {
      std::size_t condition;
      Bits answered;
      double reach;  // The weight that a line with this condition can answer at most.
    };
    std::vector<Partial> partial;
    std::set<Bits> tried;
    for (std::size_t k = 0; k < conditions_.size(); ++k) {
      const double reach =
          weight_of_common(conditions_[k].holds, right, needy_);  // A needy one is in the rest.
      if (reach <= 0.0) continue;
      Bits answered = both(rest_, conditions_[k].holds);
      if (!tried.insert(answered).second) continue;
      if (is_within(answered, answered, right)) {
        if (reach > best.value) best = {{k}, configuration, reach};
      } else {
        partial.push_back({k, std::move(answered), reach});
      }
    }
    std::stable_sort(partial.begin(), partial.end(),
                     [](const Partial& a, const Partial& b) { return a.reach > b.reach; });
    for (std::size_t a = 0; a < partial.size(); ++a) {
      if (kSecondCondition * partial[a].reach <= best.value) break;
      for (std::size_t b = a + 1; b < partial.size(); ++b) {
        if (kSecondCondition * partial[b].reach <= best.value) break;
        if (!is_within(partial[a].answered, partial[b].answered, right)) continue;
        const double value =
            kSecondCondition * weight_of_common(partial[a].answered, partial[b].answered, needy_);
        if (value > best.value) best = {{partial[a].condition, partial[b].condition}, configuration, value};
      }
    }
  }

  // Adds a line for the first of the remaining examples that the fallback answers wrongly. The line gets
  // conditions until its configuration is right for all remaining examples that meet them.
  void add_single() {
    std::size_t example = 0;
    while (!has_bit(needy_, example)) ++example;
    std::size_t configuration = 0;
    while (!examples_[example].allowed[configuration]) ++configuration;
    Bits answered = rest_;
    std::vector<SizeCondition> conditions;
    while (!is_within(answered, answered, right_[configuration])) {
      const KnownCondition* next = nullptr;
      double least = weight_of(wrong(answered, configuration));
      for (const KnownCondition& known : conditions_) {
        if (!has_bit(known.holds, example)) continue;
        const double left = weight_of(wrong(both(answered, known.holds), configuration));
        if (left >= least) continue;
        least = left;
        next = &known;
      }
      // Cannot happen: sizes differ, and for any two values of an entry, a condition separates them.
      if (next == nullptr) break;
      answered = both(answered, next->holds);
      conditions.push_back(next->condition);
    }
    add_line(std::move(conditions), configuration, answered);
  }

  Bits wrong(Bits answered, std::size_t configuration) const {
    for (std::size_t w = 0; w < words_; ++w) answered[w] &= ~right_[configuration][w];
    return answered;
  }

  const std::vector<ListExample>& examples_;
  std::size_t words_;
  Bits rest_;                 // The examples that no line answers yet.
  Bits needy_;                // Those of them that the fallback answers wrongly.
  std::size_t fallback_ = 0;  // The configuration of the last line.
  std::vector<Bits> right_;   // By configuration: the examples that it may answer.
  std::vector<KnownCondition> conditions_;
  std::set<Bits> known_;  // The examples for which each of them holds.
  DecisionList list_;
};

}  // namespace

DecisionList learn_list(const std::vector<std::string>& names, const std::vector<ListExample>& examples) {
  return ListLearner(names, examples).learn();
}

}  // namespace warptune::tuner::covers
