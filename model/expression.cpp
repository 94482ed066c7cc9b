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

Expression Expression::constant(Value value) {
  Program program;
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
