#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/expressions/cell.h"

namespace warptune::model::expressions {

/// An operator of a parsed expression.
struct TreeNode {
  Op op = Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  std::uint32_t index = 0;  ///< An index into `Tree::literals` or `Tree::variables`.
  std::uint32_t begin = 0;  ///< The beginning of its characters in `Tree::text`.
  std::uint32_t end = 0;
};

/// A parsed expression. A function of more than two operands (`min`, `max`) is a chain of nodes.
struct Tree {
  std::string text;
  base::SourcePosition where;
  std::vector<TreeNode> nodes;
  std::uint32_t root = 0;
  std::vector<Value> literals;
  std::vector<std::string> variables;
  std::vector<std::uint32_t> variable_offsets;  ///< The first position of each variable.
};

/// Parses an expression. With `dotted_names` a name may contain dots. Throws `base::InputError` with the
/// column of the error.
Tree parse_tree(std::string text, const base::SourcePosition& where, bool dotted_names = false);

std::uint32_t operand_count(Op op);

/// Evaluates the expression. `slots[i]` is the value of variable i, or null if it is unknown. Text in the
/// result refers to the tree or to the slots.
Cell evaluate(const Tree& tree, const Value* const* slots);

/// The reason why an evaluation failed, with the part of the expression that failed.
std::string explain(const Tree& tree, const Cell& failure);

}  // namespace warptune::model::expressions
