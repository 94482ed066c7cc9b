#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/expressions/formula.h"

namespace warptune::model::expressions {

/// How a value changes while one variable takes the values of its list and all others stay the same.
enum class Trend : std::uint8_t {
  kConstant,
  kRising,   ///< It never decreases. A condition that holds keeps holding.
  kFalling,  ///< It never increases.
  kUnknown
};

/// The trend of each node of a formula in one variable, for any values of the other variables.
///
/// The trend follows from the rules for monotone operators (sums, minima, comparisons, products and quotients
/// with a known sign). For a node that depends on no other variable, the rules are not needed: it is
/// evaluated for all values. The trend of a node that can fail is unknown.
class TrendAnalysis {
 public:
  /// `node` is the node of the variable. `steps` are the positions in the variable's list of values, in the
  /// order in which the values are taken.
  TrendAnalysis(const Formula& formula, std::uint32_t node, std::span<const std::uint32_t> steps);

  bool depends(std::uint32_t node) const { return depends_[node]; }
  Trend of(std::uint32_t node) const { return trends_[node]; }
  /// The trend of the condition that a node is true (not 0).
  Trend of_truth(std::uint32_t node) const;
  /// The trend of the first node minus the second.
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
