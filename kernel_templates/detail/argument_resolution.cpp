#include "kernel_templates/detail/argument_resolution.h"

#include <fmt/format.h>

#include <algorithm>

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
  if (argument.init.value) resolved.problem = problem;
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

base::Result<Memory> resolve_memory(const Argument& argument, const search::NamedValues& scope) {
  if (!argument.memory) return Memory::kDevice;
  const base::Result<search::Value> value = argument.memory->evaluate(scope);
  if (!value) return base::failure(fmt::format("the memory of '{}': {}", argument.name, value.error()));
  const std::string text = search::to_text(*value);
  if (text == "device") return Memory::kDevice;
  if (text == "pinned") return Memory::kPinned;
  if (text == "pageable") return Memory::kPageable;
  return base::failure(fmt::format("the memory of '{}' is {}, expected 'device', 'pinned' or 'pageable'",
                                   argument.name, text));
}

namespace {

base::Result<std::vector<std::int64_t>> extents_of(const std::vector<search::Expression>& expressions,
                                                   const search::NamedValues& scope, std::int64_t most) {
  std::vector<std::int64_t> extents;
  for (const search::Expression& expression : expressions) {
    const base::Result<std::int64_t> extent = integer_of(expression, scope);
    if (!extent) return base::failure(extent.error());
    if (*extent < 1 || *extent > most)
      return base::failure(fmt::format("'{}' is {}, expected 1 to {}", expression.text(), *extent, most));
    extents.push_back(*extent);
  }
  return extents;
}

}  // namespace

base::Result<ResolvedArgument> resolve_tensor_map(const Argument& argument,
                                                  const KernelDefinition& definition,
                                                  const search::NamedValues& problem,
                                                  const search::NamedValues& scope) {
  const TensorMap& map = *argument.tensor_map;
  const auto fail = [&](const std::string& reason) {
    return base::failure(fmt::format("the tensor map '{}': {}", argument.name, reason));
  };
  ResolvedArgument resolved;
  resolved.name = argument.name;
  resolved.kind = ArgumentKind::kTensorMap;
  const auto buffer = std::find_if(definition.arguments.begin(), definition.arguments.end(),
                                   [&](const Argument& other) { return other.name == map.of; });
  const base::Result<ResolvedArgument> of = resolve_argument(*buffer, problem, scope);
  if (!of) return fail(of.error());
  resolved.type = of->type;
  resolved.tensor_map.buffer = static_cast<std::size_t>(buffer - definition.arguments.begin());
  if (map.when) {
    const base::Result<bool> holds = map.when->evaluate(scope).and_then(search::to_truth);
    if (!holds) return fail(fmt::format("'{}': {}", map.when->text(), holds.error()));
    if (!*holds) return resolved;
  }
  // Limits: CUDA driver API, cuTensorMapEncodeTiled.
  const auto shape = extents_of(map.shape, scope, std::int64_t{1} << 32);
  if (!shape) return fail(shape.error());
  const auto box = extents_of(map.box, scope, 256);
  if (!box) return fail(box.error());
  auto pitch = extents_of(map.pitch, scope, std::int64_t{1} << 40);
  if (!pitch) return fail(pitch.error());
  std::int64_t packed = 1;
  for (std::size_t i = 0; map.pitch.empty() && i + 1 < shape->size(); ++i) {
    if (__builtin_mul_overflow(packed, (*shape)[i], &packed)) return fail("its size overflows 64 bits");
    pitch->push_back(packed);
  }
  std::int64_t last = 1;  // One more than the place of the last element.
  for (std::size_t i = 0; i < shape->size(); ++i) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow((*shape)[i] - 1, i == 0 ? 1 : (*pitch)[i - 1], &step) ||
        __builtin_add_overflow(last, step, &last))
      return fail("its size overflows 64 bits");
  }
  if (last > of->count)
    return fail(fmt::format("it reaches {} elements of '{}', which has {}", last, map.of, of->count));
  const base::Result<std::int64_t> swizzle =
      map.swizzle ? integer_of(*map.swizzle, scope) : base::Result<std::int64_t>(std::int64_t{0});
  if (!swizzle) return fail(swizzle.error());
  if (*swizzle != 0 && *swizzle != 32 && *swizzle != 64 && *swizzle != 128)
    return fail(fmt::format("'{}' is {}, expected 0, 32, 64 or 128 bytes", map.swizzle->text(), *swizzle));
  resolved.tensor_map.encoded = true;
  resolved.tensor_map.shape = *shape;
  resolved.tensor_map.pitch = *pitch;
  resolved.tensor_map.box = *box;
  resolved.tensor_map.swizzle_bytes = *swizzle;
  return resolved;
}

}  // namespace warptune::kernel_templates::detail
