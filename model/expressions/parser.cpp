#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/text.h"
#include "model/expressions/tokenizer.h"
#include "model/expressions/tree.h"

namespace warptune::model::expressions {

namespace {

constexpr int kMaxNesting = 200;            // The maximum of nested calls of the parser's functions.
constexpr std::uint32_t kMaxHeight = 1000;  // The tree's maximum height: functions visit it recursively.

struct BinaryOperator {
  std::string_view symbol;
  Op op;
  int precedence;
};
constexpr std::array<BinaryOperator, 14> kBinaryOperators = {{{"||", Op::kOr, 1},
                                                              {"&&", Op::kAnd, 2},
                                                              {"==", Op::kEqual, 3},
                                                              {"!=", Op::kNotEqual, 3},
                                                              {"<", Op::kLess, 4},
                                                              {"<=", Op::kLessEqual, 4},
                                                              {">", Op::kGreater, 4},
                                                              {">=", Op::kGreaterEqual, 4},
                                                              {"+", Op::kAdd, 5},
                                                              {"-", Op::kSubtract, 5},
                                                              {"*", Op::kMultiply, 6},
                                                              {"/", Op::kDivide, 6},
                                                              {"//", Op::kIntegerDivide, 6},
                                                              {"%", Op::kRemainder, 6}}};
constexpr int kOrderingPrecedence = 4;

struct Function {
  std::string_view name;
  Op op;
  std::size_t operands;
  bool or_more;
};
constexpr std::array<Function, 12> kFunctions = {{{"min", Op::kMin, 2, true},
                                                  {"max", Op::kMax, 2, true},
                                                  {"abs", Op::kAbs, 1, false},
                                                  {"ceil_div", Op::kCeilDiv, 2, false},
                                                  {"is_pow2", Op::kIsPow2, 1, false},
                                                  {"log2", Op::kLog2, 1, false},
                                                  {"sqrt", Op::kSquareRoot, 1, false},
                                                  {"exp", Op::kExponential, 1, false},
                                                  {"floor", Op::kFloor, 1, false},
                                                  {"pow", Op::kPower, 2, false},
                                                  {"sizeof", Op::kSizeof, 1, false},
                                                  {"round_up", Op::kRoundUp, 2, false}}};

// Parses by precedence climbing, a form of recursive descent. `parse_binary(p)` reads an operand and then all
// operators that bind at least as tightly as p. The operand on the right of an operator is read with a higher
// precedence, so that operators of one level group from the left. The nesting and the height of the tree are
// limited, because an expression may come from an untrusted file and would otherwise exhaust the stack.
class Parser {
 public:
  Parser(Tree& tree, bool dotted_names)
      : tree_(tree), tokens_(tokenize(tree.text, tree.where, dotted_names)) {}

  void run() {
    tree_.root = parse_choice();
    if (token().kind != Token::Kind::kEnd) expected("an operator");
  }

 private:
  const Token& token() const { return tokens_[at_]; }
  bool is_symbol(std::string_view symbol) const {
    return token().kind == Token::Kind::kSymbol && token().source == symbol;
  }
  bool accept(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    ++at_;
    return true;
  }
  void require(std::string_view symbol) {
    if (!accept(symbol)) expected(fmt::format("'{}'", symbol));
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    throw_at(tree_.text, tree_.where, offset, message);
  }
  [[noreturn]] void expected(const std::string& what) const {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords = {
        {{"and", "&&"}, {"or", "||"}, {"not", "!"}}};
    std::string hint;
    for (const auto& [word, symbol] : kWords) {
      if (token().source == word) hint = fmt::format(" (write {})", symbol);
    }
    const bool end = token().kind == Token::Kind::kEnd;
    const std::string found = end ? "the end" : fmt::format("'{}'", token().source);
    fail(token().begin, fmt::format("found {}, expected {}{}", found, what, hint));
  }

  std::uint32_t add(Op op, std::uint32_t begin, std::array<std::uint32_t, 3> child = {0, 0, 0},
                    std::uint32_t index = 0) {
    std::uint32_t height = 0;
    for (std::uint32_t i = 0; i < operand_count(op); ++i) height = std::max(height, heights_[child[i]] + 1);
    if (height > kMaxHeight) fail(begin, "the expression is too long");
    const Token& last = tokens_[at_ - 1];
    tree_.nodes.push_back(
        {op, child, index, begin, last.begin + static_cast<std::uint32_t>(last.source.size())});
    heights_.push_back(height);
    return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
  }

  std::uint32_t add_literal(Value value, std::uint32_t begin) {
    tree_.literals.push_back(std::move(value));
    return add(Op::kLiteral, begin, {0, 0, 0}, static_cast<std::uint32_t>(tree_.literals.size() - 1));
  }

  std::uint32_t parse_choice() {
    if (++nesting_ > kMaxNesting) fail(token().begin, "the expression is nested too deeply");
    const std::uint32_t begin = token().begin;
    std::uint32_t node = parse_binary(1);
    if (accept("?")) {
      const std::uint32_t yes = parse_choice();
      require(":");
      const std::uint32_t no = parse_choice();
      node = add(Op::kSelect, begin, {node, yes, no});
    }
    --nesting_;
    return node;
  }

  const BinaryOperator* binary_operator() const {
    if (token().kind != Token::Kind::kSymbol) return nullptr;
    const auto* found = std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                                     [this](const BinaryOperator& o) { return o.symbol == token().source; });
    return found == kBinaryOperators.end() ? nullptr : found;
  }

  std::uint32_t parse_binary(int precedence) {
    const std::uint32_t begin = token().begin;
    std::uint32_t left = parse_unary();
    bool ordered = false;
    for (const BinaryOperator* found = binary_operator(); found != nullptr && found->precedence >= precedence;
         found = binary_operator()) {
      if (ordered && found->precedence == kOrderingPrecedence) {
        fail(token().begin,
             fmt::format("a second '{}' on a comparison; join two comparisons by &&", found->symbol));
      }
      ordered = found->precedence == kOrderingPrecedence;
      ++at_;
      const std::uint32_t right = parse_binary(found->precedence + 1);
      left = add(found->op, begin, {left, right, 0});
    }
    return left;
  }

  std::uint32_t parse_unary() {
    if (++nesting_ > kMaxNesting) fail(token().begin, "the expression is nested too deeply");
    const std::uint32_t begin = token().begin;
    std::uint32_t node = 0;
    if (accept("-")) {
      // 2^63 is too large for an integer, but -2^63 is not.
      const bool smallest = token().kind == Token::Kind::kInteger && token().integer == std::uint64_t{1}
                                                                                            << 63;
      if (smallest) ++at_;
      node = smallest ? add_literal(std::numeric_limits<std::int64_t>::min(), begin)
                      : add(Op::kNegate, begin, {parse_unary(), 0, 0});
    } else if (accept("!")) {
      node = add(Op::kNot, begin, {parse_unary(), 0, 0});
    } else {
      node = parse_primary();
    }
    --nesting_;
    return node;
  }

  std::uint32_t parse_primary() {
    const Token& first = token();
    switch (first.kind) {
      case Token::Kind::kInteger:
        if (first.integer == std::uint64_t{1} << 63) fail(first.begin, "an integer that 64 bits cannot hold");
        ++at_;
        return add_literal(static_cast<std::int64_t>(first.integer), first.begin);
      case Token::Kind::kReal:
        ++at_;
        return add_literal(first.real, first.begin);
      case Token::Kind::kText:
        ++at_;
        return add_literal(first.text, first.begin);
      case Token::Kind::kName:
        return parse_name();
      default:
        break;
    }
    if (!accept("(")) expected("a value");
    const std::uint32_t node = parse_choice();
    require(")");
    return node;
  }

  std::uint32_t parse_name() {
    const Token& name = token();
    ++at_;
    if (is_symbol("(")) return parse_call(name);
    if (name.source == "true" || name.source == "false")
      return add_literal(name.source == "true", name.begin);
    if (name.source == "and" || name.source == "or" || name.source == "not") {
      --at_;
      expected("a value");
    }
    std::vector<std::string>& known = tree_.variables;
    const auto found = std::find(known.begin(), known.end(), name.source);
    const auto index = static_cast<std::uint32_t>(found - known.begin());
    if (found == known.end()) {
      known.emplace_back(name.source);
      tree_.variable_offsets.push_back(name.begin);
    }
    return add(Op::kVariable, name.begin, {0, 0, 0}, index);
  }

  std::uint32_t parse_call(const Token& name) {
    const auto* function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                        [&name](const Function& f) { return f.name == name.source; });
    if (function == kFunctions.end()) {
      std::vector<std::string> known;
      known.reserve(kFunctions.size());
      for (const Function& f : kFunctions) known.emplace_back(f.name);
      fail(name.begin,
           fmt::format("unknown function '{}'{}", name.source, base::did_you_mean(name.source, known)));
    }
    require("(");
    std::vector<std::uint32_t> operands;
    if (!is_symbol(")")) {
      do operands.push_back(parse_choice());
      while (accept(","));
    }
    if (!is_symbol(")")) expected("',' or ')'");
    ++at_;
    if (operands.size() < function->operands ||
        (operands.size() > function->operands && !function->or_more)) {
      fail(name.begin,
           fmt::format("'{}' takes {}, found {}", name.source,
                       base::counted(function->operands, function->or_more ? "or more arguments" : "argument",
                                     function->or_more ? "or more arguments" : "arguments"),
                       operands.size()));
    }
    if (operands.size() == 1) return add(function->op, name.begin, {operands[0], 0, 0});
    std::uint32_t node = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i)
      node = add(function->op, name.begin, {node, operands[i], 0});
    return node;
  }

  Tree& tree_;
  std::vector<Token> tokens_;
  std::vector<std::uint32_t> heights_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Tree parse_tree(std::string text, const base::SourcePosition& where, bool dotted_names) {
  Tree tree;
  tree.text = std::move(text);
  tree.where = where;
  Parser(tree, dotted_names).run();
  return tree;
}

}  // namespace warptune::model::expressions
