#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "search/detail/diagram_builder.h"
#include "search/detail/formula.h"
#include "search/detail/tree.h"
#include "search/parameter.h"

namespace warptune::search::testing_spaces {

/// Expressions over parameters as one formula; `order[level]` is the parameter chosen at a level.
class Expressions {
 public:
  Expressions(const std::vector<Parameter>& parameters, const std::vector<std::uint32_t>& order)
      : parameters_(parameters), formula_(detail::variables_of(parameters, order)) {}
  Expressions(const Expressions&) = delete;
  Expressions& operator=(const Expressions&) = delete;

  /// Adds one; its node. A name that is no parameter is one that nobody knows.
  std::uint32_t add(const std::string& text) {
    const detail::Tree& tree = trees_.emplace_back(detail::parse_tree(text, {}));
    return formula_.add(tree, [&](std::uint32_t variable) {
      for (std::uint32_t p = 0; p < parameters_.size(); ++p) {
        if (parameters_[p].name == tree.variables[variable]) return formula_.variable(p);
      }
      return formula_.literal(detail::Cell::of_failure(detail::EvaluationError::kUnknownVariable));
    });
  }

  detail::Formula& formula() { return formula_; }
  const detail::Tree& last_tree() const { return trees_.back(); }

 private:
  const std::vector<Parameter>& parameters_;
  detail::Formula formula_;
  std::deque<detail::Tree> trees_;  // Own the text that the formula borrows.
};

}  // namespace warptune::search::testing_spaces
