#include "model/expressions/expression_type.h"

#include "model/expressions/tree.h"

namespace warptune::model::expressions {

namespace {

using MaybeType = std::optional<ValueType>;

// The type of a sum, product, minimum and so on.
MaybeType arithmetic(MaybeType a, MaybeType b) {
  if (a == ValueType::kReal || b == ValueType::kReal) return ValueType::kReal;
  if (!a || !b || a == ValueType::kText || b == ValueType::kText) return std::nullopt;
  return ValueType::kInteger;
}

class TypeReader {
 public:
  TypeReader(const Tree& tree, const TypeLookup& variables) : tree_(tree), variables_(variables) {}

  MaybeType of(std::uint32_t index) const {
    const TreeNode& node = tree_.nodes[index];
    switch (node.op) {
      case Op::kLiteral:
        return model::type_of(tree_.literals[node.index]);
      case Op::kVariable:
        return variables_(tree_.variables[node.index]);
      case Op::kNot:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kAnd:
      case Op::kOr:
      case Op::kIsPow2:
        return ValueType::kBoolean;
      case Op::kSelect: {
        const MaybeType first = of(node.child[1]);
        return first == of(node.child[2]) ? first : std::nullopt;
      }
      default:
        return of_number(node);
    }
  }

 private:
  MaybeType of_number(const TreeNode& node) const {
    switch (node.op) {
      case Op::kNegate:
      case Op::kAbs:
        return arithmetic(of(node.child[0]), ValueType::kInteger);
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kMin:
      case Op::kMax:
        return arithmetic(of(node.child[0]), of(node.child[1]));
      case Op::kSquareRoot:
      case Op::kExponential:
      case Op::kPower:
      case Op::kLog2:  // It is an integer for some operands. Callers need only know that it is a number.
        return ValueType::kReal;
      default:
        return ValueType::kInteger;
    }
  }

  const Tree& tree_;
  const TypeLookup& variables_;
};

// Adds the parts of the subtree at `index` that are numbers but are used as truth values. `truth` says
// whether the subtree itself is used as a truth value.
void add_numeric(const Tree& tree, const TypeReader& types, std::uint32_t index, bool truth,
                 std::vector<NumericOperand>& found) {
  const TreeNode& node = tree.nodes[index];
  const bool joins = node.op == Op::kAnd || node.op == Op::kOr;
  const MaybeType type = types.of(index);
  if (truth && node.op != Op::kSelect && (type == ValueType::kInteger || type == ValueType::kReal)) {
    base::SourcePosition position = tree.where;
    if (position.line > 0) position.column += static_cast<int>(node.begin);
    found.push_back({tree.text.substr(node.begin, node.end - node.begin), position});
  }
  for (std::uint32_t i = 0; i < operand_count(node.op); ++i) {
    const bool is_condition = node.op == Op::kSelect && i == 0;
    const bool is_alternative = node.op == Op::kSelect && i > 0 && truth;
    add_numeric(tree, types, node.child[i], joins || is_condition || is_alternative, found);
  }
}

}  // namespace

std::vector<NumericOperand> numeric_operands(const Expression& expression, const TypeLookup& variables) {
  const Tree tree = parse_tree(expression.text(), expression.position(), true);
  std::vector<NumericOperand> found;
  add_numeric(tree, TypeReader(tree, variables), tree.root, false, found);
  return found;
}

std::optional<ValueType> type_of(const Expression& expression, const TypeLookup& variables) {
  const Tree tree = parse_tree(expression.text(), expression.position(), true);
  return TypeReader(tree, variables).of(tree.root);
}

}  // namespace warptune::model::expressions
