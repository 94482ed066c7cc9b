#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/expressions/cell.h"
#include "model/expressions/interval.h"
#include "model/expressions/tree.h"

namespace warptune::model::expressions {

/// A sub-expression. All constraints of a space that contain it share one node. Children come before their
/// parents.
struct FormulaNode {
  Op op = Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  std::uint32_t variable = 0;  ///< The variable, if the node is a `kVariable`.
  Cell literal;                ///< The value, if the node is a `kLiteral`.
  int first_level = 0;         ///< The first level of its variables; INT_MAX for a constant.
  int last_level = 0;          ///< The last level of its variables; -1 for a constant.
  Interval interval;           ///< Its values over all configurations.
  /// The only variable on which it depends, or `kNoVariable` for a constant, or `kSeveralVariables`.
  std::uint32_t only_variable = kNoVariable;
  std::uint32_t table = 0;  ///< The index of its table if it has one; see `Formula::table`.

  static constexpr std::uint32_t kNoVariable = UINT32_MAX;
  static constexpr std::uint32_t kSeveralVariables = UINT32_MAX - 1;

  bool has_table() const { return only_variable < kSeveralVariables; }
};

/// A variable: the level that assigns it, and a reference to its values.
struct FormulaVariable {
  int level = 0;
  std::span<const Value> values;
};

/// Expressions as one graph. Equal sub-expressions are one node, and constants are folded.
class Formula {
 public:
  explicit Formula(std::vector<FormulaVariable> variables);

  /// Adds a parsed expression. `resolve(i)` returns the node of the tree's variable i, or of its constant.
  std::uint32_t add(const Tree& tree, const std::function<std::uint32_t(std::uint32_t)>& resolve);
  /// Adds a node of another formula over the same variables. Sums, products, minima and maxima are regrouped
  /// so that operands assigned early are combined first. This is done only if no order can overflow.
  std::uint32_t add_regrouped(const Formula& other, std::uint32_t root);

  std::uint32_t literal(const Cell& cell);
  std::uint32_t variable(std::uint32_t index);
  std::uint32_t make(Op op, std::array<std::uint32_t, 3> child);

  const FormulaNode& node(std::uint32_t index) const { return nodes_[index]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_literal(std::uint32_t index) const { return nodes_[index].op == Op::kLiteral; }
  /// The operands of a tree of `&&`. The constraint holds exactly if each of them holds.
  std::vector<std::uint32_t> conjuncts(std::uint32_t root) const;
  /// The nodes of the sub-graph of `root`, including `root`, in ascending order.
  std::vector<std::uint32_t> parts(std::uint32_t root) const;
  /// The results of a node that depends on one variable, one for each value of the variable.
  const std::vector<Cell>& table(const FormulaNode& node) const { return tables_[node.table]; }

 private:
  std::uint32_t intern(const FormulaNode& node);
  std::vector<Cell> tabulate(const FormulaNode& node) const;
  std::uint32_t fold(Op op, const std::array<std::uint32_t, 3>& child);
  std::vector<std::uint32_t> operands_of_chain(const Formula& other, std::uint32_t root) const;

  std::vector<FormulaVariable> variables_;
  std::vector<FormulaNode> nodes_;
  std::vector<std::vector<Cell>> tables_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace warptune::model::expressions
