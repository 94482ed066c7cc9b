#include "tuner/covers/launch_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "model/expression.h"

namespace warptune::tuner::covers {

namespace {

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// An expression with the values of a configuration in place of its parameters. Texts in quotes stay.
std::string with_values(std::string_view expression, const model::NamedValues& configuration) {
  std::string text;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at + 1;
    if (expression[at] == '"' || expression[at] == '\'') {
      end = std::min(expression.find(expression[at], at + 1), expression.size() - 1) + 1;
      text += fmt::format("'{}'", expression.substr(at + 1, end - at - 2));
    } else if (is_name_part(expression[at])) {
      while (end < expression.size() && is_name_part(expression[end])) ++end;
      const std::string word(expression.substr(at, end - at));
      const model::Value* const value = model::find(configuration, word);
      const std::string* const literal = value != nullptr ? std::get_if<std::string>(value) : nullptr;
      text += value == nullptr     ? word
              : literal != nullptr ? fmt::format("'{}'", *literal)
                                   : model::to_literal(*value);
    } else {
      text += expression[at];
    }
    at = end;
  }
  return text;
}

}  // namespace

LaunchShape::LaunchShape(kernel_templates::KernelDefinition definition, const SizeRange& range,
                         const model::NamedValues& problem, const model::GpuDescription& gpu)
    : definition_(std::move(definition)), sm_count_(std::max<std::int64_t>(gpu.sm_count, 1)) {
  for (const auto& [name, value] : definition_.problem) {
    const model::Value* const given = model::find(problem, name);
    constants_.emplace_back(name, given != nullptr ? *given : value);
  }
  for (auto& attribute : gpu.attributes()) constants_.push_back(std::move(attribute));
  for (std::size_t e = 0; e < range.entries.size(); ++e) {
    names_.push_back(range.entries[e].name);
    const bool is_used = std::ranges::any_of(definition_.launch.grid, [&](const model::Expression& one) {
      return base::contains(one.variables(), names_.back());
    });
    if (!is_used) inner_.push_back(e);
  }
}

model::NamedValues LaunchShape::constants_at(const Size& size) const {
  model::NamedValues constants = constants_;
  for (auto& [name, value] : constants) {
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end()) value = size[static_cast<std::size_t>(found - names_.begin())];
  }
  return constants;
}

std::optional<double> LaunchShape::blocks(const model::NamedValues& configuration, const Size& size) const {
  if (definition_.host || definition_.launch.grid.empty()) return std::nullopt;
  model::NamedValues values = constants_at(size);
  values.insert(values.end(), configuration.begin(), configuration.end());
  double blocks = 1.0;
  for (const model::Expression& dimension : definition_.launch.grid) {
    const base::Result<model::Value> value = dimension.evaluate(values);
    const std::optional<double> number = value ? model::to_number(*value) : std::nullopt;
    if (!number || !(*number > 0.0)) return std::nullopt;
    blocks *= *number;
  }
  return blocks;
}

std::string LaunchShape::blocks_text(const model::NamedValues& configuration) const {
  std::vector<std::string> dimensions;
  for (const model::Expression& dimension : definition_.launch.grid) {
    if (dimension.text() == "1") continue;
    const std::string text = with_values(dimension.text(), configuration);
    const bool is_sum = text.find_first_of("+-?<>=|&") != std::string::npos;
    dimensions.push_back(is_sum ? fmt::format("({})", text) : text);
  }
  return dimensions.empty() ? "1" : fmt::format("{}", fmt::join(dimensions, " * "));
}

bool LaunchShape::allows(const model::NamedValues& configuration, const Size& size) const {
  auto found = spaces_.find(size);
  if (found == spaces_.end()) {
    model::Space space(definition_.parameters, definition_.constraints, constants_at(size));
    found = spaces_.emplace(size, std::move(space)).first;
  }
  const base::Result<model::Configuration> one = found->second.configuration_of(configuration);
  return one && found->second.contains(*one);
}

}  // namespace warptune::tuner::covers
