#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "search/detail/cell.h"
#include "search/detail/interval.h"
#include "search/detail/tree.h"

namespace warptune::search::detail {

/// A sub-expression that all constraints of a space share. Children stand before their parents.
struct FormulaNode {
  Op op = Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  std::uint32_t variable = 0;  ///< Of a `kVariable`.
  Cell literal;                ///< Of a `kLiteral`.
  int first_level = 0;         ///< The least and greatest level of its variables;
  int last_level = 0;          ///< of a constant: INT_MAX and -1.
  Interval interval;           ///< Over all configurations.
};

/// What is known of a variable: the level at which it is assigned and the values it takes.
struct FormulaVariable {
  int level = 0;
  Interval interval;
};

/// Expressions as one graph in which equal sub-expressions are one node and constants are folded.
class Formula {
 public:
  explicit Formula(std::vector<FormulaVariable> variables) : variables_(std::move(variables)) {}

  /// Adds a parsed expression; `resolve(i)` is the node for variable i of the tree, or its constant.
  std::uint32_t add(const Tree& tree, const std::function<std::uint32_t(std::uint32_t)>& resolve);
  /// Adds a node of another formula over the same variables, with sums, products, minima and maxima regrouped
  /// so that what is assigned first is joined first. Only where no order can overflow.
  std::uint32_t add_regrouped(const Formula& other, std::uint32_t root);

  std::uint32_t literal(const Cell& cell);
  std::uint32_t variable(std::uint32_t index);
  std::uint32_t make(Op op, std::array<std::uint32_t, 3> child);

  const FormulaNode& node(std::uint32_t index) const { return nodes_[index]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_literal(std::uint32_t index) const { return nodes_[index].op == Op::kLiteral; }
  /// The operands of a tree of `&&`; a constraint holds exactly when each of them does.
  std::vector<std::uint32_t> conjuncts(std::uint32_t root) const;
  /// Whether each node is part of `root`.
  std::vector<bool> reach(std::uint32_t root) const;

 private:
  std::uint32_t intern(const FormulaNode& node);
  std::uint32_t fold(Op op, const std::array<std::uint32_t, 3>& child);
  std::vector<std::uint32_t> operands_of_chain(const Formula& other, std::uint32_t root) const;

  std::vector<FormulaVariable> variables_;
  std::vector<FormulaNode> nodes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace warptune::search::detail
