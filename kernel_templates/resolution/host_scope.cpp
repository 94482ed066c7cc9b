// Evaluates and checks the numbers and ranges of a host program's steps.
#include "kernel_templates/resolution/host_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/launch_resolution.h"

namespace warptune::kernel_templates::resolution {

HostScope::HostScope(const model::NamedValues& problem, const model::NamedValues& names,
                     const std::vector<ResolvedArgument>& arguments)
    : problem_(problem), names_(names), arguments_(arguments) {
  names_.emplace_back("k", std::int64_t{0});
}

std::string HostScope::turn() const {
  return fmt::format(" where k is {}", model::to_text(names_.back().second));
}

model::Outcome<std::int64_t> HostScope::number(const std::optional<model::Expression>& expression,
                                               std::int64_t otherwise, std::int64_t minimum,
                                               std::int64_t maximum, std::string_view key) const {
  if (!expression) return otherwise;
  const std::string beginning = key.empty() ? "" : fmt::format("{}: ", key);
  const base::Result<std::int64_t> value = integer_of(*expression, names_);
  if (value && *value >= minimum && *value <= maximum) return *value;
  rejected_ = expression->position();
  if (!value) return invalid_launch(beginning + value.error());
  const std::string where = base::contains(expression->variables(), names_.back().first) ? turn() : "";
  const std::string expected =
      minimum == maximum ? std::to_string(minimum) : fmt::format("{} to {}", minimum, maximum);
  return invalid_launch(
      fmt::format("{}'{}' is {}{}, expected {}", beginning, expression->text(), *value, where, expected));
}

std::size_t HostScope::place_of(const std::string& name) const {
  const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                  [&](const ResolvedArgument& argument) { return argument.name == name; });
  return static_cast<std::size_t>(found - arguments_.begin());
}

model::Outcome<BufferRange> HostScope::range_of(const std::string& name,
                                                const std::optional<model::Expression>& offset,
                                                const std::optional<model::Expression>& count) const {
  const std::size_t buffer = place_of(name);
  const ResolvedArgument& of = arguments_[buffer];
  const auto fail = [&](const std::string& reason) {
    return invalid_launch(fmt::format("\"{}\": {}", of.name, reason));
  };
  const auto first = number(offset, 0, 0, of.count - 1);
  if (!first) return fail("the offset " + first.error().reason);
  const auto elements = number(count, of.count - *first, 1, INT64_MAX);
  if (!elements) return fail("the count " + elements.error().reason);
  if (*elements > of.count - *first) {
    return fail(fmt::format("{} elements from element {} on are needed{}, but it has {}", *elements, *first,
                            turn(), of.count));
  }
  return BufferRange{buffer, *first * element_bytes(of), *elements * element_bytes(of)};
}

std::int64_t element_bytes(const ResolvedArgument& argument) {
  return static_cast<std::int64_t>(info(argument.type).size_bytes);
}

}  // namespace warptune::kernel_templates::resolution
