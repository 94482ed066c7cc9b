#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "model/diagrams/diagram_builder.h"
#include "model/expressions/formula.h"
#include "model/expressions/tree.h"
#include "model/parameter.h"

namespace warptune::model::expressions {

/// Expressions over parameters as one formula; `order[level]` is the parameter chosen at a level.
class Expressions {
 public:
  Expressions(const std::vector<Parameter>& parameters, const std::vector<std::uint32_t>& order)
      : parameters_(parameters), formula_(diagrams::variables_of(parameters, order)) {}
  Expressions(const Expressions&) = delete;
  Expressions& operator=(const Expressions&) = delete;

  /// Adds an expression and returns its node. A name that is not a parameter is unknown.
  std::uint32_t add(const std::string& text) {
    const Tree& tree = trees_.emplace_back(parse_tree(text, {}));
    return formula_.add(tree, [&](std::uint32_t variable) {
      for (std::uint32_t p = 0; p < parameters_.size(); ++p) {
        if (parameters_[p].name == tree.variables[variable]) return formula_.variable(p);
      }
      return formula_.literal(Cell::of_failure(EvaluationError::kUnknownVariable));
    });
  }

  Formula& formula() { return formula_; }
  const Tree& last_tree() const { return trees_.back(); }

 private:
  const std::vector<Parameter>& parameters_;
  Formula formula_;
  std::deque<Tree> trees_;  // Own the text that the formula borrows.
};

}  // namespace warptune::model::expressions
