#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/expressions/cell.h"

namespace warptune::model::expressions {

/// One operator of a parsed expression.
struct TreeNode {
  Op op = Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  std::uint32_t index = 0;  ///< Of `Tree::literals` or `Tree::variables`.
  std::uint32_t begin = 0;  ///< The characters of `Tree::text` it stands for.
  std::uint32_t end = 0;
};

/// A parsed expression. Functions of more than two operands (`min`, `max`) are chains.
struct Tree {
  std::string text;
  base::SourcePosition where;
  std::vector<TreeNode> nodes;
  std::uint32_t root = 0;
  std::vector<Value> literals;
  std::vector<std::string> variables;
  std::vector<std::uint32_t> variable_offsets;  ///< Where each variable stands first.
};

/// `dotted_names`: dots may join parts of a name. Throws `base::InputError` that points at the offending
/// column.
Tree parse_tree(std::string text, const base::SourcePosition& where, bool dotted_names = false);

std::uint32_t operand_count(Op op);

/// Evaluates with `slots[i]` for variable i, null where unknown; text of the result is borrowed from tree or
/// slots.
Cell evaluate(const Tree& tree, const Value* const* slots);

/// Why an evaluation failed, quoting the part that did.
std::string explain(const Tree& tree, const Cell& failure);

}  // namespace warptune::model::expressions
