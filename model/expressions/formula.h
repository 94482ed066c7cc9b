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

/// A sub-expression that all constraints of a space share. Children stand before their parents.
struct FormulaNode {
  Op op = Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  std::uint32_t variable = 0;  ///< Of a `kVariable`.
  Cell literal;                ///< Of a `kLiteral`.
  int first_level = 0;         ///< The least and greatest level of its variables;
  int last_level = 0;          ///< of a constant: INT_MAX and -1.
  Interval interval;           ///< Over all configurations.
  /// The one variable it depends on, or `kNoVariable` for constants and `kSeveralVariables`.
  std::uint32_t only_variable = kNoVariable;
  std::uint32_t table = 0;  ///< Of one with `only_variable`: see `Formula::table`.

  static constexpr std::uint32_t kNoVariable = UINT32_MAX;
  static constexpr std::uint32_t kSeveralVariables = UINT32_MAX - 1;

  bool has_table() const { return only_variable < kSeveralVariables; }
};

/// What is known of a variable: the level at which it is assigned and the values it takes (borrowed).
struct FormulaVariable {
  int level = 0;
  std::span<const Value> values;
};

/// Expressions as one graph in which equal sub-expressions are one node and constants are folded.
class Formula {
 public:
  explicit Formula(std::vector<FormulaVariable> variables);

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
  /// The nodes that `root` is made of, itself included, ascending.
  std::vector<std::uint32_t> parts(std::uint32_t root) const;
  /// What a node that depends on one variable is for each of its values.
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
