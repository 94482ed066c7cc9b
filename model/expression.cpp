#include "model/expression.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "model/expressions/cell.h"
#include "model/expressions/tree.h"

namespace warptune::model {

struct Expression::Program {
  expressions::Tree tree;
};

Expression Expression::parse(std::string text, const base::SourcePosition& where, NameForm names) {
  Expression expression;
  expression.program_ = std::make_shared<const Program>(
      Program{expressions::parse_tree(std::move(text), where, names == NameForm::kDotted)});
  return expression;
}

Expression Expression::constant(Value value, const base::SourcePosition& where) {
  Program program;
  program.tree.where = where;
  program.tree.text = to_literal(value);
  program.tree.nodes.push_back({});
  program.tree.nodes.back().end = static_cast<std::uint32_t>(program.tree.text.size());
  program.tree.literals.push_back(std::move(value));
  Expression expression;
  expression.program_ = std::make_shared<const Program>(std::move(program));
  return expression;
}

const std::string& Expression::text() const { return program_->tree.text; }
const base::SourcePosition& Expression::position() const { return program_->tree.where; }
const std::vector<std::string>& Expression::variables() const { return program_->tree.variables; }

base::Result<Value> Expression::evaluate(const Lookup& lookup) const {
  std::vector<const Value*> slots;
  for (const std::string& name : variables()) slots.push_back(lookup(name));
  return evaluate_slots(slots.data());
}

base::Result<Value> Expression::evaluate(const NamedValues& values) const {
  return evaluate([&values](std::string_view name) { return find(values, name); });
}

base::Result<Value> Expression::evaluate_slots(const Value* const* slots) const {
  const expressions::Cell cell = expressions::evaluate(program_->tree, slots);
  if (cell.failed()) return base::failure(expressions::explain(program_->tree, cell));
  return cell.to_value();
}

namespace {

// Finds the divisions of a tree that drop a remainder for some values.
class RemainderSearch {
 public:
  RemainderSearch(const expressions::Tree& tree, const NamedValues& values) : tree_(tree), values_(values) {}

  std::vector<DroppedRemainder> run() {
    visit(tree_.root);
    return std::move(found_);
  }

 private:
  using Op = expressions::Op;

  std::string text_of(std::uint32_t node) const {
    return tree_.text.substr(tree_.nodes[node].begin, tree_.nodes[node].end - tree_.nodes[node].begin);
  }
  base::Result<Value> value_of(std::uint32_t node) const {
    expressions::Tree part = tree_;
    part.root = node;
    std::vector<const Value*> slots;
    for (const std::string& name : tree_.variables) slots.push_back(find(values_, name));
    const expressions::Cell cell = expressions::evaluate(part, slots.data());
    if (cell.failed()) return base::failure(std::string("it has no value"));
    return cell.to_value();
  }
  bool has_sum(std::uint32_t index) const {
    const expressions::TreeNode& node = tree_.nodes[index];
    bool found = node.op == Op::kAdd || node.op == Op::kRoundUp;
    for (std::uint32_t i = 0; i < expressions::operand_count(node.op); ++i)
      found = found || has_sum(node.child[i]);
    return found;
  }
  void visit(std::uint32_t index) {
    const expressions::TreeNode& node = tree_.nodes[index];
    if (node.op == Op::kMultiply || node.op == Op::kMax) {
      visit(node.child[0]);
      visit(node.child[1]);
    } else if (node.op == Op::kSelect) {
      const base::Result<bool> first = value_of(node.child[0]).and_then(to_truth);
      if (first) visit(node.child[*first ? 1 : 2]);
    } else if (node.op == Op::kDivide || node.op == Op::kIntegerDivide) {
      visit_division(node);
    }
  }
  void visit_division(const expressions::TreeNode& node) {
    visit(node.child[0]);
    const base::Result<Value> dividend = value_of(node.child[0]);
    const base::Result<Value> divisor = value_of(node.child[1]);
    const auto* a = dividend ? std::get_if<std::int64_t>(&*dividend) : nullptr;
    const auto* b = divisor ? std::get_if<std::int64_t>(&*divisor) : nullptr;
    if (a == nullptr || b == nullptr || *a <= 0 || *b <= 0 || *a % *b == 0 || has_sum(node.child[0])) return;
    found_.push_back({text_of(node.child[0]), text_of(node.child[1]), *a % *b});
  }

  const expressions::Tree& tree_;
  const NamedValues& values_;
  std::vector<DroppedRemainder> found_;
};

}  // namespace

std::vector<DroppedRemainder> Expression::dropped_remainders(const NamedValues& values) const {
  return RemainderSearch(program_->tree, values).run();
}

base::Result<bool> to_truth(const Value& value) {
  const expressions::Cell truth = expressions::truth_of(expressions::Cell::of(value));
  if (truth.failed())
    return base::failure(fmt::format("expected true or false, found {}", to_literal(value)));
  return truth.integer != 0;
}

base::Result<std::int64_t> to_integer(const Value& value) {
  const expressions::Cell cell = expressions::Cell::of(value);
  if (cell.is_integral()) return cell.integer;
  if (cell.kind == expressions::Cell::Kind::kReal && std::trunc(cell.real) == cell.real &&
      cell.real >= -0x1p63 && cell.real < 0x1p63) {
    return static_cast<std::int64_t>(cell.real);
  }
  return base::failure(fmt::format("expected an integer, found {}", to_literal(value)));
}

}  // namespace warptune::model
