#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/expressions/formula.h"

namespace warptune::model::expressions {

/// How a value moves while one variable steps through its list and all others stay.
enum class Trend : std::uint8_t {
  kConstant,
  kRising,   ///< Never falls; of a condition: once it holds, it goes on holding.
  kFalling,  ///< Never rises.
  kUnknown
};

/// The trend of each node of a formula in one variable, whatever the values of the others.
///
/// By the rules for monotone operators (sums, products of known sign, minima, quotients of known sign,
/// comparisons), and from the table where a node depends on nothing else. Only what cannot fail has a trend.
class TrendAnalysis {
 public:
  /// `steps` is the order of the variable's values; `node` stands for the variable.
  TrendAnalysis(const Formula& formula, std::uint32_t node, std::span<const std::uint32_t> steps);

  bool depends(std::uint32_t node) const { return depends_[node]; }
  Trend of(std::uint32_t node) const { return trends_[node]; }
  /// Of the truth of a node.
  Trend of_truth(std::uint32_t node) const;
  /// Of the first less the second.
  Trend of_difference(std::uint32_t first, std::uint32_t second) const;

 private:
  Trend from_table(const FormulaNode& node, std::span<const std::uint32_t> steps) const;
  Trend from_operands(const FormulaNode& node) const;
  Trend of_product(std::uint32_t first, std::uint32_t second) const;
  Trend of_quotient(std::uint32_t first, std::uint32_t second) const;

  const Formula& formula_;
  std::vector<bool> depends_;
  std::vector<Trend> trends_;
};

}  // namespace warptune::model::expressions
