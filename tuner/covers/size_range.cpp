#include "tuner/covers/size_range.h"

#include <fmt/format.h>

#include <cmath>

namespace warptune::tuner::covers {

namespace {

std::string text_of(const SizeEntry& entry) {
  if (entry.spread == Spread::kListed && entry.values.size() > 1)
    return fmt::format("{}={{{}}}", entry.name, fmt::join(entry.values, ","));
  if (entry.spread == Spread::kListed) return fmt::format("{}={}", entry.name, entry.low);
  std::string text = fmt::format("{}={}..{}", entry.name, entry.low, entry.high);
  if (entry.spread == Spread::kLogarithmic) text += " log2";
  if (entry.spread == Spread::kStep) text += fmt::format(" step {}", entry.step);
  return text;
}

}  // namespace

std::string SizeRange::text() const {
  std::string text;
  for (const SizeEntry& entry : entries) text += (text.empty() ? "" : ", ") + text_of(entry);
  return text;
}

Size SizeRange::size_of(const model::NamedValues& problem) const {
  Size size;
  for (const SizeEntry& entry : entries) {
    const model::Value* value = model::find(problem, entry.name);
    const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    if (number == nullptr) return {};
    size.push_back(*number);
  }
  return size;
}

bool SizeRange::contains(const Size& size) const {
  if (size.size() != entries.size()) return false;
  for (std::size_t e = 0; e < size.size(); ++e) {
    if (size[e] < entries[e].low || size[e] > entries[e].high) return false;
  }
  return true;
}

model::NamedValues SizeRange::values_of(const Size& size) const {
  model::NamedValues values;
  for (std::size_t e = 0; e < size.size(); ++e) values.emplace_back(entries[e].name, size[e]);
  return values;
}

double distance(const Size& a, const Size& b) {
  double sum = 0.0;
  for (std::size_t e = 0; e < a.size(); ++e)
    sum += std::abs(std::log2(static_cast<double>(a[e])) - std::log2(static_cast<double>(b[e])));
  return sum;
}

}  // namespace warptune::tuner::covers
