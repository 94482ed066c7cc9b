#include "model/expressions/tree.h"

#include <fmt/format.h>

#include "model/expressions/operators.h"

namespace warptune::model::expressions {

std::uint32_t operand_count(Op op) {
  switch (op) {
    case Op::kLiteral:
    case Op::kVariable:
      return 0;
    case Op::kNegate:
    case Op::kNot:
    case Op::kAbs:
    case Op::kIsPow2:
    case Op::kLog2:
    case Op::kSizeof:
      return 1;
    case Op::kSelect:
      return 3;
    default:
      return 2;
  }
}

namespace {

class Evaluator {
 public:
  Evaluator(const Tree& tree, const Value* const* slots) : tree_(tree), slots_(slots) {}

  Cell run(std::uint32_t index) const {
    Cell cell = dispatch(tree_.nodes[index]);
    if (cell.failed() && cell.node == Cell::kNoNode) cell.node = index;
    return cell;
  }

 private:
  Cell dispatch(const TreeNode& node) const {
    switch (node.op) {
      case Op::kLiteral:
        return Cell::of(tree_.literals[node.index]);
      case Op::kVariable: {
        const Value* value = slots_[node.index];
        return value == nullptr ? Cell::of_failure(EvaluationError::kUnknownVariable) : Cell::of(*value);
      }
      case Op::kAnd:
      case Op::kOr:
      case Op::kSelect:
        return lazily(node);
      default:
        break;
    }
    // `apply` returns a failure of the first operand, and ignores operands that the operator does not have.
    const Cell a = run(node.child[0]);
    if (a.failed() || operand_count(node.op) == 1) return apply(node.op, a, a, a);
    return apply(node.op, a, run(node.child[1]), a);
  }

  Cell lazily(const TreeNode& node) const {
    const Cell first = truth_of(run(node.child[0]));
    if (first.failed()) return first;
    const bool holds_first = first.integer != 0;
    if (node.op == Op::kSelect) return run(node.child[holds_first ? 1 : 2]);
    // `true || b` and `false && b` do not evaluate b.
    return holds_first == (node.op == Op::kOr) ? first : truth_of(run(node.child[1]));
  }

  const Tree& tree_;
  const Value* const* slots_;
};

}  // namespace

Cell evaluate(const Tree& tree, const Value* const* slots) { return Evaluator(tree, slots).run(tree.root); }

std::string explain(const Tree& tree, const Cell& failure) {
  if (failure.node >= tree.nodes.size()) return to_string(failure.error);
  const TreeNode& node = tree.nodes[failure.node];
  const std::string_view part = std::string_view(tree.text).substr(node.begin, node.end - node.begin);
  if (failure.error == EvaluationError::kUnknownVariable) return fmt::format("unknown variable '{}'", part);
  return fmt::format("{} in '{}'", to_string(failure.error), part);
}

}  // namespace warptune::model::expressions
