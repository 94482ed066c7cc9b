// Stores the constraints of a space as one graph of sub-expressions.
//
// A hash table finds a node with the same operator and operands, so that equal sub-expressions are one node
// (hash consing). Constants are folded when a node is made. A node that depends on a single variable stores
// its results for all values of that variable. Its value is then a look-up, and its interval is exact.
//
// Chains of +, *, min and max are regrouped for the order in which a diagram chooses the variables. Operands
// that are known early come first, so that partial results are complete early. Partial results are the states
// of the diagram, so earlier results mean fewer states. Regrouping needs integers that cannot overflow in any
// order, because the result must not change.
#include "model/expressions/formula.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "base/random.h"
#include "model/expressions/operators.h"

namespace warptune::model::expressions {

namespace {

constexpr std::uint32_t kNotFolded = UINT32_MAX;

bool same(const FormulaNode& a, const FormulaNode& b) {
  if (a.op != b.op || a.child != b.child || a.variable != b.variable) return false;
  if (a.op != Op::kLiteral) return true;
  if (a.literal.kind != b.literal.kind) return false;
  if (a.literal.kind == Cell::Kind::kText) return *a.literal.text == *b.literal.text;
  return a.literal.bits() == b.literal.bits();
}

std::uint64_t hash_of(const FormulaNode& node) {
  std::uint64_t hash = base::split_mix64(static_cast<std::uint64_t>(node.op));
  for (const std::uint32_t child : node.child) hash = base::split_mix64(hash ^ child);
  hash = base::split_mix64(hash ^ node.variable);
  if (node.op != Op::kLiteral) return hash;
  if (node.literal.kind == Cell::Kind::kText) return hash ^ std::hash<std::string>()(*node.literal.text);
  return base::split_mix64(hash ^ node.literal.bits());
}

double magnitude(const Interval& x) { return std::max(std::abs(x.low), std::abs(x.high)); }

// Whether any order and grouping of the operands has the same result.
bool order_is_irrelevant(Op op, const Formula& formula, const std::vector<std::uint32_t>& operands) {
  double maximum = op == Op::kMultiply ? 1.0 : 0.0;
  for (const std::uint32_t operand : operands) {
    const Interval& interval = formula.node(operand).interval;
    if (!interval.is_range() || !interval.integral || interval.may_fail) return false;
    maximum =
        op == Op::kMultiply ? maximum * std::max(1.0, magnitude(interval)) : maximum + magnitude(interval);
  }
  return op == Op::kMin || op == Op::kMax || maximum < 0x1p62;
}

// The smallest interval that contains all cells.
Interval enclose(const std::vector<Cell>& cells) {
  Interval result;
  bool fails = false;
  bool first = true;
  for (const Cell& cell : cells) {
    fails = fails || cell.failed();
    if (cell.failed()) continue;
    result = first ? Interval::of(cell) : hull(result, Interval::of(cell));
    first = false;
  }
  if (first) return Interval::of(cells.front());
  result.may_fail = result.may_fail || fails;
  return result;
}

bool all_the_same(const std::vector<Cell>& cells) {
  const Cell& first = cells.front();
  if (first.kind == Cell::Kind::kText) return false;
  return std::all_of(cells.begin(), cells.end(), [&first](const Cell& cell) {
    return cell.kind == first.kind && (cell.failed() || cell.bits() == first.bits());
  });
}

bool is_chain(Op op) { return op == Op::kAdd || op == Op::kMultiply || op == Op::kMin || op == Op::kMax; }

}  // namespace

Formula::Formula(std::vector<FormulaVariable> variables) : variables_(std::move(variables)) {
  tables_.resize(variables_.size());
}

std::uint32_t Formula::intern(const FormulaNode& node) {
  const std::uint64_t hash = hash_of(node);
  const auto range = by_hash_.equal_range(hash);
  for (auto it = range.first; it != range.second; ++it) {
    if (same(nodes_[it->second], node)) return it->second;
  }
  nodes_.push_back(node);
  const auto index = static_cast<std::uint32_t>(nodes_.size() - 1);
  by_hash_.emplace(hash, index);
  return index;
}

std::uint32_t Formula::literal(const Cell& cell) {
  FormulaNode node;
  node.literal = cell;
  node.literal.node = Cell::kNoNode;
  node.first_level = INT_MAX;
  node.last_level = -1;
  node.interval = Interval::of(cell);
  return intern(node);
}

std::uint32_t Formula::variable(std::uint32_t index) {
  FormulaNode node;
  node.op = Op::kVariable;
  node.variable = index;
  node.first_level = node.last_level = variables_[index].level;
  node.only_variable = node.table = index;
  if (tables_[index].empty()) {
    for (const Value& value : variables_[index].values) tables_[index].push_back(Cell::of(value));
  }
  node.interval = enclose(tables_[index]);
  return intern(node);
}

// Returns the result if constants alone determine it, and `kNotFolded` otherwise.
std::uint32_t Formula::fold(Op op, const std::array<std::uint32_t, 3>& child) {
  const std::uint32_t count = operand_count(op);
  const bool constant =
      std::all_of(child.begin(), child.begin() + count, [this](auto c) { return is_literal(c); });
  if (constant) {
    const Cell& a = nodes_[child[0]].literal;
    return literal(
        apply(op, a, count > 1 ? nodes_[child[1]].literal : a, count > 2 ? nodes_[child[2]].literal : a));
  }
  if (!is_literal(child[0])) return kNotFolded;
  const Cell first = nodes_[child[0]].literal;
  if (first.failed()) return child[0];
  const Cell truth = truth_of(first);
  if (op == Op::kSelect) return truth.failed() ? literal(truth) : child[truth.integer != 0 ? 1 : 2];
  if (op != Op::kAnd && op != Op::kOr) return kNotFolded;
  return truth.failed() || (truth.integer != 0) == (op == Op::kOr) ? literal(truth) : kNotFolded;
}

std::uint32_t Formula::make(Op op, std::array<std::uint32_t, 3> child) {
  const std::uint32_t count = operand_count(op);
  for (std::uint32_t i = count; i < 3; ++i) child[i] = 0;
  const std::uint32_t folded = fold(op, child);
  if (folded != kNotFolded) return folded;
  FormulaNode node;
  node.op = op;
  node.child = child;
  node.first_level = INT_MAX;
  node.last_level = -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const FormulaNode& operand = nodes_[child[i]];
    node.first_level = std::min(node.first_level, operand.first_level);
    node.last_level = std::max(node.last_level, operand.last_level);
    if (operand.only_variable == FormulaNode::kNoVariable) continue;
    const bool same =
        node.only_variable == FormulaNode::kNoVariable || node.only_variable == operand.only_variable;
    node.only_variable = same ? operand.only_variable : FormulaNode::kSeveralVariables;
  }
  if (node.has_table()) {
    std::vector<Cell> table = tabulate(node);
    if (all_the_same(table)) return literal(table.front());
    node.interval = enclose(table);
    node.table = static_cast<std::uint32_t>(tables_.size());
    const std::uint32_t index = intern(node);
    if (nodes_[index].table == node.table) tables_.push_back(std::move(table));
    return index;
  }
  const auto interval = [&](std::uint32_t i) { return i < count ? nodes_[child[i]].interval : Interval(); };
  node.interval = apply(op, interval(0), interval(1), interval(2));
  return intern(node);
}

std::vector<Cell> Formula::tabulate(const FormulaNode& node) const {
  const std::uint32_t count = operand_count(node.op);
  std::vector<Cell> table;
  for (std::size_t value = 0; value < variables_[node.only_variable].values.size(); ++value) {
    std::array<Cell, 3> operands;
    for (std::uint32_t i = 0; i < count; ++i) {
      const FormulaNode& operand = nodes_[node.child[i]];
      operands[i] = operand.op == Op::kLiteral ? operand.literal : tables_[operand.table][value];
    }
    table.push_back(apply(node.op, operands[0], operands[1], operands[2]));
  }
  return table;
}

std::uint32_t Formula::add(const Tree& tree, const std::function<std::uint32_t(std::uint32_t)>& resolve) {
  std::vector<std::uint32_t> made(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // Children come before their parents.
    const TreeNode& node = tree.nodes[i];
    if (node.op == Op::kLiteral) {
      made[i] = literal(Cell::of(tree.literals[node.index]));
    } else if (node.op == Op::kVariable) {
      made[i] = resolve(node.index);
    } else {
      made[i] = make(node.op, {made[node.child[0]], made[node.child[1]], made[node.child[2]]});
    }
  }
  return made[tree.root];
}

std::vector<std::uint32_t> Formula::operands_of_chain(const Formula& other, std::uint32_t root) const {
  const Op op = other.node(root).op;
  std::vector<std::uint32_t> open = {root};
  std::vector<std::uint32_t> operands;
  while (!open.empty()) {
    const std::uint32_t index = open.back();
    open.pop_back();
    const FormulaNode& node = other.node(index);
    if (node.op == op) {
      open.insert(open.end(), {node.child[1], node.child[0]});
    } else {
      operands.push_back(index);
    }
  }
  return operands;
}

std::uint32_t Formula::add_regrouped(const Formula& other, std::uint32_t root) {
  const FormulaNode& node = other.node(root);
  if (node.op == Op::kLiteral) return literal(node.literal);
  if (node.op == Op::kVariable) return variable(node.variable);
  if (is_chain(node.op)) {
    const std::vector<std::uint32_t> operands = operands_of_chain(other, root);
    if (order_is_irrelevant(node.op, other, operands)) {
      std::vector<std::uint32_t> parts;
      parts.reserve(operands.size());
      for (const std::uint32_t operand : operands) parts.push_back(add_regrouped(other, operand));
      std::stable_sort(parts.begin(), parts.end(), [this](std::uint32_t a, std::uint32_t b) {
        return nodes_[a].last_level < nodes_[b].last_level;
      });
      std::uint32_t joined = parts.front();
      for (std::size_t i = 1; i < parts.size(); ++i) joined = make(node.op, {joined, parts[i], 0});
      return joined;
    }
  }
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  for (std::uint32_t i = 0; i < operand_count(node.op); ++i) child[i] = add_regrouped(other, node.child[i]);
  return make(node.op, child);
}

std::vector<std::uint32_t> Formula::conjuncts(std::uint32_t root) const {
  std::vector<std::uint32_t> open = {root};
  std::vector<std::uint32_t> found;
  while (!open.empty()) {
    const std::uint32_t index = open.back();
    open.pop_back();
    if (nodes_[index].op == Op::kAnd) {
      open.insert(open.end(), {nodes_[index].child[1], nodes_[index].child[0]});
    } else if (std::find(found.begin(), found.end(), index) == found.end()) {
      found.push_back(index);
    }
  }
  return found;
}

std::vector<std::uint32_t> Formula::parts(std::uint32_t root) const {
  std::vector<bool> seen(root + 1, false);
  seen[root] = true;
  std::vector<std::uint32_t> found = {root};
  for (std::size_t next = 0; next < found.size(); ++next) {
    const FormulaNode& node = nodes_[found[next]];
    for (std::uint32_t c = 0; c < operand_count(node.op); ++c) {
      if (!seen[node.child[c]]) found.push_back(node.child[c]);
      seen[node.child[c]] = true;
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace warptune::model::expressions
