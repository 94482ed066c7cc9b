#include "kernel_templates/detail/argument_resolution.h"

#include <fmt/format.h>

#include "kernel_templates/detail/rendering.h"

namespace warptune::kernel_templates::detail {

namespace {

// Why a type cannot hold a scalar, or nothing. Rounding to a floating type is no reason.
std::optional<std::string> misfit(const search::Value& value, const DataTypeInfo& type) {
  if (!search::to_number(value)) return fmt::format("expected a number, found {}", search::to_literal(value));
  if (type.floating) return std::nullopt;
  const base::Result<std::int64_t> integer = search::to_integer(value);
  if (!integer) return integer.error();
  const std::size_t value_bits = type.size_bytes * 8 - (type.is_signed ? 1 : 0);
  const std::int64_t most = value_bits >= 63 ? INT64_MAX : (std::int64_t{1} << value_bits) - 1;
  const std::int64_t least = type.is_signed ? -most - 1 : 0;
  if (*integer >= least && *integer <= most) return std::nullopt;
  return fmt::format("it is {}, {} holds {} to {}", *integer, type.name, least, most);
}

}  // namespace

base::Result<std::int64_t> integer_of(const search::Expression& expression,
                                      const search::NamedValues& scope) {
  const base::Result<search::Value> value = expression.evaluate(scope);
  if (!value) return base::failure(fmt::format("'{}': {}", expression.text(), value.error()));
  const base::Result<std::int64_t> integer = search::to_integer(*value);
  if (!integer) return base::failure(fmt::format("'{}': {}", expression.text(), integer.error()));
  return *integer;
}

base::Result<ResolvedArgument> resolve_argument(const Argument& argument, const search::NamedValues& problem,
                                                const search::NamedValues& scope) {
  const std::optional<DataType> named = type_of_entry(problem, argument.type);
  const std::optional<DataType> type = named ? named : parse_data_type(argument.type);
  if (!type) {
    const std::string found = search::to_text(*search::find(problem, argument.type));
    return base::failure(
        fmt::format("argument '{}' has type '{}', which is no data type", argument.name, found));
  }
  ResolvedArgument resolved;
  resolved.name = argument.name;
  resolved.kind = argument.kind;
  resolved.type = *type;
  resolved.init = argument.init;
  resolved.zeroed = argument.zeroed;
  if (argument.kind == ArgumentKind::kScalar) {
    const base::Result<search::Value> value = argument.value->evaluate(scope);
    if (!value) return base::failure(fmt::format("argument '{}': {}", argument.name, value.error()));
    if (const std::optional<std::string> reason = misfit(*value, info(*type)))
      return base::failure(fmt::format("argument '{}': {}", argument.name, *reason));
    resolved.scalar = *value;
    return resolved;
  }
  const base::Result<std::int64_t> count = integer_of(*argument.count, scope);
  if (!count)
    return base::failure(fmt::format("the size of argument '{}': {}", argument.name, count.error()));
  const std::int64_t most = INT64_MAX / static_cast<std::int64_t>(info(*type).size_bytes);
  if (*count < 1 || *count > most) {
    return base::failure(
        fmt::format("argument '{}' has {} elements, expected 1 to {}", argument.name, *count, most));
  }
  resolved.count = *count;
  return resolved;
}

}  // namespace warptune::kernel_templates::detail
