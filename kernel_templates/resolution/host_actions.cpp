// Checks and evaluates each kind of step of a host program.
#include "kernel_templates/resolution/host_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "kernel_templates/argument_data.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/launch_resolution.h"
#include "kernel_templates/resolution/memory_resolution.h"

namespace warptune::kernel_templates::resolution {

namespace {

model::Outcome<PassedArgument> resolve_passed(const HostArgument& argument, const HostScope& scope);

// Puts the members at their places.
model::Outcome<PassedArgument> resolve_struct(const HostArgument& argument, const HostScope& scope) {
  PassedArgument passed;
  passed.value.resize(static_cast<std::size_t>(argument.struct_bytes));
  std::size_t end = 0;  // The end of the member before.
  for (const HostArgument& member : argument.members) {
    model::Outcome<PassedArgument> part = resolve_passed(member, scope);
    if (!part) return part;
    const auto at = static_cast<std::size_t>(member.at);
    if (at < end)  // The type is an entry of the problem, for which the user has given a longer one.
      return invalid_launch(fmt::format(
          "the member at byte {} begins before the end of the one before it, at byte {}", at, end));
    end = at + (part->argument ? sizeof(std::uint64_t) : part->value.size());
    if (part->argument) {
      passed.addresses.push_back({*part->argument, part->offset_bytes, at});
    } else if (part->value.size() <= passed.value.size() - at) {
      std::copy(part->value.begin(), part->value.end(),
                passed.value.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      return invalid_launch(fmt::format("the member at byte {} has {} bytes, but the struct has {}", at,
                                        part->value.size(), passed.value.size()));
    }
  }
  return passed;
}

model::Outcome<PassedArgument> resolve_passed(const HostArgument& argument, const HostScope& scope) {
  PassedArgument passed;
  if (argument.struct_bytes > 0) return resolve_struct(argument, scope);
  if (argument.value) {
    Argument scalar;
    scalar.name = argument.value->text();
    scalar.kind = ArgumentKind::kScalar;
    scalar.type = argument.type;
    scalar.value = argument.value;
    const base::Result<ResolvedArgument> resolved = resolve_argument(scalar, scope.problem(), scope.names());
    if (!resolved) return invalid_launch(resolved.error() + scope.turn());
    passed.value = scalar_bytes(*resolved);
    return passed;
  }
  passed.argument = scope.place_of(argument.name);
  const ResolvedArgument& of = scope.argument(*passed.argument);
  if (!argument.offset) return passed;
  // A kernel may get the address after the last element, as the end of a range.
  const auto offset = scope.number(argument.offset, 0, 0, of.placed_count());
  if (!offset)
    return invalid_launch(fmt::format("the offset into \"{}\": {}", of.name, offset.error().reason));
  passed.offset_bytes = *offset * element_bytes(of);
  return passed;
}

}  // namespace

std::optional<model::Rejection> resolve_passed(const Launch& launch, const HostScope& scope,
                                               LaunchStep& step) {
  if (!launch.arguments) return std::nullopt;
  step.arguments.emplace();
  for (const HostArgument& argument : *launch.arguments) {
    model::Outcome<PassedArgument> passed = resolve_passed(argument, scope);
    if (!passed) return passed.error();
    step.arguments->push_back(std::move(*passed));
  }
  return std::nullopt;
}

model::Outcome<CopyStep> resolve_copy(const HostCopy& copy, const HostScope& scope) {
  const ResolvedArgument& source = scope.argument(copy.from);
  const ResolvedArgument& target = scope.argument(copy.to);
  const auto fail = [&](const std::string& reason) {
    return invalid_launch(fmt::format("the copy from \"{}\" to \"{}\": {}", copy.from, copy.to, reason));
  };
  if (source.type != target.type)
    return fail(fmt::format("the first has elements of type {}, the second of type {}",
                            info(source.type).name, info(target.type).name));
  const auto from = scope.range_of(copy.from, copy.from_offset, copy.count);
  if (!from) return fail(from.error().reason);
  auto to = scope.range_of(copy.to, copy.to_offset, copy.count);
  if (!to) return fail(to.error().reason);
  if (from->bytes > to->bytes)
    return fail(fmt::format("{} bytes do not fit into {}; give a count", from->bytes, to->bytes));
  to->bytes = from->bytes;
  const bool apart = from->buffer != to->buffer || from->offset_bytes + from->bytes <= to->offset_bytes ||
                     to->offset_bytes + to->bytes <= from->offset_bytes;
  if (!apart) return fail("they overlap" + scope.turn());
  return CopyStep{*from, *to};
}

model::Outcome<FillStep> resolve_fill(const HostFill& fill, const HostScope& scope) {
  const auto range = scope.range_of(fill.buffer, fill.offset, fill.count);
  if (!range)
    return base::failure(
        model::Rejection{range.error().status, "the fill of " + range.error().reason, range.error().cause});
  if (scope.argument(range->buffer).memory == Memory::kPageable) {
    return invalid_launch(fmt::format("the fill of \"{}\": a GPU cannot fill pageable memory", fill.buffer));
  }
  const auto byte = scope.number(fill.byte, 0, 0, 255, "byte");
  if (!byte) return base::failure(byte.error());
  return FillStep{*range, static_cast<std::uint8_t>(*byte)};
}

model::Outcome<PrefetchStep> resolve_prefetch(const HostPrefetch& prefetch, const HostScope& scope) {
  const std::string what = fmt::format("the prefetch of \"{}\"", prefetch.buffer);
  const auto range = scope.range_of(prefetch.buffer, prefetch.offset, prefetch.count);
  if (!range)
    return base::failure(model::Rejection{range.error().status, "the prefetch of " + range.error().reason,
                                          range.error().cause});
  const Memory memory = scope.argument(range->buffer).memory;
  if (memory != Memory::kManaged) {
    return invalid_launch(fmt::format("{}: only managed memory can be prefetched, and it is in {} memory",
                                      what, to_string(memory)));
  }
  const base::Result<PagePlace> to = resolve_page_place(prefetch.to, what + ": the key to", scope.names());
  if (!to) return invalid_launch(to.error());
  return PrefetchStep{*range, *to};
}

namespace {

// The index of the buffer of a matrix. Rejects a buffer that is too small.
model::Outcome<std::size_t> matrix_place(const HostScope& scope, const std::string& name, std::int64_t rows,
                                         std::int64_t columns) {
  const ResolvedArgument& of = scope.argument(name);
  if (rows * columns > of.count) {
    return invalid_launch(
        fmt::format("\"{}\" has {} elements, but {} x {} are needed", name, of.count, rows, columns));
  }
  if (of.memory == Memory::kPageable)
    return invalid_launch(fmt::format("\"{}\" is in pageable memory, which a GPU cannot read", name));
  return scope.place_of(name);
}

// Returns why cuBLAS cannot multiply matrices of these types, or std::nullopt if it can.
std::optional<std::string> type_violation(DataType a, DataType b, DataType result) {
  const bool half = a == DataType::kF16 || a == DataType::kBf16;
  const bool known = half || a == DataType::kF32 || a == DataType::kF64;
  if (known && b == a && (result == a || (half && result == DataType::kF32))) return std::nullopt;
  return fmt::format(
      "expected f32, f64, f16 or bf16 matrices of one type (the result of f16 and bf16 may be f32), "
      "found {}, {} and {}",
      info(a).name, info(b).name, info(result).name);
}

// Whether the product uses cuBLAS's pedantic mode. Fails, with the reason as its error, if the expression's
// value is neither 'default' nor 'pedantic'.
base::Result<bool> is_pedantic(const model::Expression& expression, const HostScope& scope) {
  const base::Result<model::Value> math = expression.evaluate(scope.names());
  if (!math) return base::failure(fmt::format("'{}': {}", expression.text(), math.error()));
  const std::string text = model::to_text(*math);
  if (text == "default" || text == "pedantic") return text == "pedantic";
  return base::failure(fmt::format("'{}' is {}, expected 'default' or 'pedantic'", expression.text(), text));
}

}  // namespace

model::Outcome<MatrixProductStep> resolve_call(const HostCall& call, const HostScope& scope) {
  const auto fail = [&](const std::string& reason) {
    return invalid_launch(fmt::format("{}: {}", call.function, reason));
  };
  MatrixProductStep step;
  for (const auto& [key, expression, size] :
       {std::tuple{"m", &call.m, &step.m}, std::tuple{"n", &call.n, &step.n},
        std::tuple{"k", &call.k, &step.k}}) {
    const auto value = scope.number(*expression, 1, 1, INT32_MAX, key);
    if (!value) return fail(value.error().reason);
    *size = static_cast<std::int32_t>(*value);
  }
  const auto a = matrix_place(scope, call.a, step.m, step.k);
  const auto b = matrix_place(scope, call.b, step.k, step.n);
  const auto c = matrix_place(scope, call.c, step.m, step.n);
  for (const auto* one : {&a, &b, &c}) {
    if (!*one) return fail(one->error().reason);
  }
  step.a = *a;
  step.b = *b;
  step.c = *c;
  step.type = scope.argument(step.a).type;
  step.result_type = scope.argument(step.c).type;
  if (const auto fault = type_violation(step.type, scope.argument(step.b).type, step.result_type))
    return fail(*fault);
  if (call.math) {
    const base::Result<bool> pedantic = is_pedantic(*call.math, scope);
    if (!pedantic) return fail(pedantic.error());
    step.pedantic = *pedantic;
  }
  return step;
}

}  // namespace warptune::kernel_templates::resolution
