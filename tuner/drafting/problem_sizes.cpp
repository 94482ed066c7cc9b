#include "tuner/drafting/problem_sizes.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune::tuner::drafting {

namespace {

constexpr std::size_t kMaxFactors = 8;  // Names that are combined in products.
// A buffer may have this multiple of a product of sizes.
constexpr std::int64_t kMaxMultiple = 16;
// A thread may have as many elements.
constexpr std::int64_t kMaxPerThread = 32;
// Multiples of smaller products explain nearly every number.
constexpr std::int64_t kMinWithMultiple = 16;

}  // namespace

ProblemSizes::ProblemSizes(std::vector<std::pair<std::string, std::int64_t>> named)
    : named_(std::move(named)), used_(named_.size(), false) {
  std::vector<std::size_t> factors;
  for (std::size_t i = 0; i < named_.size() && factors.size() < kMaxFactors; ++i) {
    if (named_[i].second > 1) factors.push_back(i);
  }
  for (std::size_t chosen = 1; chosen < std::size_t{1} << factors.size(); ++chosen) {
    Product product;
    bool overflows = false;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      product.factors.push_back(factors[i]);
      overflows |= __builtin_mul_overflow(product.value, named_[factors[i]].second, &product.value);
    }
    if (!overflows) products_.push_back(std::move(product));
  }
  std::stable_sort(products_.begin(), products_.end(), [](const Product& a, const Product& b) {
    return a.factors.size() != b.factors.size() ? a.factors.size() < b.factors.size() : a.factors < b.factors;
  });
}

std::string ProblemSizes::text_of(const Product& product) {
  std::string text;
  for (const std::size_t factor : product.factors) {
    used_[factor] = true;
    text += (text.empty() ? "" : " * ") + named_[factor].first;
  }
  return text;
}

std::optional<std::string> ProblemSizes::product(std::int64_t elements) {
  for (const Product& product : products_) {
    if (product.value == elements) return text_of(product);
  }
  return std::nullopt;
}

std::optional<std::string> ProblemSizes::count(std::int64_t elements) {
  if (auto text = product(elements)) return text;
  for (const Product& product : products_) {
    if (product.factors.size() == 1 && product.value == elements - 1) return text_of(product) + " + 1";
  }
  return multiple(elements);
}

std::optional<std::string> ProblemSizes::offset(std::int64_t elements) {
  auto text = product(elements);
  return text ? text : multiple(elements);
}

std::optional<std::string> ProblemSizes::multiple(std::int64_t elements) {
  for (const Product& product : products_) {
    if (product.value < kMinWithMultiple || elements % product.value != 0) continue;
    const std::int64_t multiple = elements / product.value;
    if (multiple >= 2 && multiple <= kMaxMultiple) return fmt::format("{} * {}", multiple, text_of(product));
  }
  return std::nullopt;
}

std::optional<std::string> ProblemSizes::grid(std::int64_t blocks, std::int64_t threads,
                                              const std::string& block) {
  for (const Product& product : products_) {
    if (product.value == blocks) return text_of(product);
  }
  if (block.empty() || threads < 2) return std::nullopt;
  for (std::int64_t elements = 1; elements <= kMaxPerThread; elements *= 2) {
    if (elements > 1 && blocks == 1) break;  // One block of so many elements says nothing.
    for (const Product& product : products_) {
      const std::int64_t share = threads * elements;
      if ((product.value - 1) / share + 1 != blocks) continue;
      const std::string divisor = elements == 1 ? block : fmt::format("{} * {}", block, elements);
      return fmt::format("ceil_div({}, {})", text_of(product), divisor);
    }
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::int64_t>> ProblemSizes::used() const {
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  for (const auto& one : named_) {
    if (used_value(one.first)) sizes.push_back(one);
  }
  return sizes;
}

std::optional<std::int64_t> ProblemSizes::used_value(const std::string& name) const {
  const auto found =
      std::find_if(named_.begin(), named_.end(), [&](const auto& one) { return one.first == name; });
  if (found == named_.end()) return std::nullopt;
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (used_[i] && named_[i].second == found->second) return found->second;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner::drafting
