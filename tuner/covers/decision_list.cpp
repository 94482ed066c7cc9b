#include "tuner/covers/decision_list.h"

#include <fmt/format.h>

#include <cmath>

namespace warptune::tuner::covers {

namespace {

std::string bound_text(double bound) {
  if (bound == std::floor(bound) && std::abs(bound) < 1e15) return fmt::format("{:.0f}", bound);
  return fmt::format("{}", bound);
}

}  // namespace

double SizeFeature::product(const Size& size) const {
  double product = 1.0;
  for (const std::size_t factor : factors) product *= static_cast<double>(size[factor]);
  return product;
}

double SizeFeature::scaled(double bound, const Size& size) const {
  for (const std::size_t entry : divisor) bound *= static_cast<double>(size[entry]);
  return bound;
}

double SizeFeature::value(const Size& size) const { return product(size) / scaled(1.0, size); }

bool SizeCondition::holds(const Size& size) const {
  switch (comparison) {
    case Comparison::kAtMost:
      return feature.product(size) <= feature.scaled(bound, size);
    case Comparison::kAbove:
      return feature.product(size) > feature.scaled(bound, size);
    case Comparison::kMultiple:
      return size[feature.factors.front()] % static_cast<std::int64_t>(bound) == 0;
    case Comparison::kNoMultiple:
      return size[feature.factors.front()] % static_cast<std::int64_t>(bound) != 0;
  }
  return false;
}

std::string SizeCondition::text(const std::vector<std::string>& names) const {
  std::string left;
  for (const std::size_t factor : feature.factors) left += (left.empty() ? "" : " * ") + names[factor];
  if (comparison == Comparison::kMultiple || comparison == Comparison::kNoMultiple)
    return fmt::format("{} % {} {} 0", left, bound_text(bound),
                       comparison == Comparison::kMultiple ? "==" : "!=");
  const char* const sign = comparison == Comparison::kAtMost ? "<=" : ">";
  if (feature.divisor.empty()) return fmt::format("{} {} {}", left, sign, bound_text(bound));
  const std::string& right = names[feature.divisor.front()];
  if (bound == 1.0) return fmt::format("{} {} {}", left, sign, right);
  return fmt::format("{} {} {} * {}", left, sign, bound_text(bound), right);
}

std::size_t DecisionList::line_for(const Size& size) const {
  for (std::size_t l = 0; l + 1 < lines.size(); ++l) {
    bool all = true;
    for (const SizeCondition& condition : lines[l].conditions) all = all && condition.holds(size);
    if (all) return l;
  }
  return lines.size() - 1;
}

std::string DecisionList::text_of(std::size_t line) const {
  std::string text;
  for (const SizeCondition& condition : lines[line].conditions)
    text += (text.empty() ? "" : " and ") + condition.text(names);
  return text.empty() ? "otherwise" : text;
}

}  // namespace warptune::tuner::covers
