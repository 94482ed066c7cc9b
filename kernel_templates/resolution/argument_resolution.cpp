#include "kernel_templates/resolution/argument_resolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/resolution/memory_resolution.h"

namespace warptune::kernel_templates::resolution {

namespace {

// Returns why a type cannot represent a scalar, or std::nullopt if it can. Rounding to a floating-point type
// is allowed.
std::optional<std::string> misfit(const model::Value& value, const DataTypeInfo& type) {
  if (!model::to_number(value)) return fmt::format("expected a number, found {}", model::to_literal(value));
  if (type.floating) return std::nullopt;
  const base::Result<std::int64_t> integer = model::to_integer(value);
  if (!integer) return integer.error();
  const std::size_t value_bits = type.size_bytes * 8 - (type.is_signed ? 1 : 0);
  const std::int64_t maximum = value_bits >= 63 ? INT64_MAX : (std::int64_t{1} << value_bits) - 1;
  const std::int64_t minimum = type.is_signed ? -maximum - 1 : 0;
  if (*integer >= minimum && *integer <= maximum) return std::nullopt;
  return fmt::format("the value is {}, but {} has values from {} to {}", *integer, type.name, minimum,
                     maximum);
}

}  // namespace

base::Result<std::int64_t> integer_of(const model::Expression& expression, const model::NamedValues& scope) {
  const base::Result<model::Value> value = expression.evaluate(scope);
  if (!value) return base::failure(fmt::format("'{}': {}", expression.text(), value.error()));
  const base::Result<std::int64_t> integer = model::to_integer(*value);
  if (!integer) return base::failure(fmt::format("'{}': {}", expression.text(), integer.error()));
  return *integer;
}

double real_of(const model::Expression& expression, const model::NamedValues& scope) {
  const base::Result<model::Value> value = expression.evaluate(scope);
  if (!value)
    throw base::InputError(fmt::format("'{}': {}", expression.text(), value.error()), expression.position());
  const std::optional<double> number = model::to_number(*value);
  if (!number)
    throw base::InputError(fmt::format("'{}' is text, expected a number", expression.text()),
                           expression.position());
  return *number;
}

base::Result<std::size_t> index_of_choice(const model::Expression& expression,
                                          const std::vector<std::string>& names, const std::string& what,
                                          const model::NamedValues& scope) {
  const base::Result<model::Value> value = expression.evaluate(scope);
  if (!value) return base::failure(fmt::format("{}: {}", what, value.error()));
  const std::string text = model::to_text(*value);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return base::failure(fmt::format("{} is {}, expected one of {}", what, text, fmt::join(names, ", ")));
}

base::Result<ResolvedArgument> resolve_argument(const Argument& argument, const model::NamedValues& problem,
                                                const model::NamedValues& scope) {
  // The definition's reader has checked that the type is a data type, or a problem entry whose value is one.
  // So if there is no data type here, a size that the user gave has replaced the value of that entry.
  const std::optional<DataType> named = compiling::type_of_entry(problem, argument.type);
  const std::optional<DataType> type = named ? named : parse_data_type(argument.type);
  if (!type) {
    const std::string found = model::to_text(*model::find(problem, argument.type));
    return base::failure(
        fmt::format("argument '{}' has type '{}', which is not a data type", argument.name, found));
  }
  ResolvedArgument resolved;
  resolved.name = argument.name;
  resolved.kind = argument.kind;
  resolved.type = *type;
  resolved.init = argument.init;
  if (argument.init.value) resolved.problem = problem;  // The expression of the initial contents may use it.
  resolved.zeroed = argument.zeroed;
  resolved.symbol = argument.symbol;
  if (argument.kind == ArgumentKind::kScalar) {
    const base::Result<model::Value> value = argument.value->evaluate(scope);
    if (!value) return base::failure(fmt::format("argument '{}': {}", argument.name, value.error()));
    if (const std::optional<std::string> reason = misfit(*value, info(*type)))
      return base::failure(fmt::format("argument '{}': {}", argument.name, *reason));
    resolved.scalar = *value;
    return resolved;
  }
  const base::Result<std::int64_t> count = integer_of(*argument.count, scope);
  if (!count)
    return base::failure(fmt::format("the size of argument '{}': {}", argument.name, count.error()));
  const std::int64_t maximum = INT64_MAX / static_cast<std::int64_t>(info(*type).size_bytes);
  if (*count < 1 || *count > maximum) {
    return base::failure(
        fmt::format("argument '{}' has {} elements, expected 1 to {}", argument.name, *count, maximum));
  }
  resolved.count = *count;
  if (const auto fault = resolve_width(argument, scope, resolved)) return base::failure(*fault);
  return resolved;
}

namespace {

base::Result<std::vector<std::int64_t>> extents_of(const std::vector<model::Expression>& expressions,
                                                   const model::NamedValues& scope, std::int64_t maximum) {
  std::vector<std::int64_t> extents;
  for (const model::Expression& expression : expressions) {
    const base::Result<std::int64_t> extent = integer_of(expression, scope);
    if (!extent) return base::failure(extent.error());
    if (*extent < 1 || *extent > maximum)
      return base::failure(fmt::format("'{}' is {}, expected 1 to {}", expression.text(), *extent, maximum));
    extents.push_back(*extent);
  }
  return extents;
}

// cuTensorMapEncodeTiled takes distances in bytes that are multiples of 16 and less than 2^40.
std::optional<std::string> pitch_violation(const std::vector<std::int64_t>& pitch, const DataTypeInfo& type) {
  constexpr std::int64_t kAlignment = 16;
  constexpr std::int64_t kMaxBytes = (std::int64_t{1} << 40) - kAlignment;
  const auto element = static_cast<std::int64_t>(type.size_bytes);
  for (std::size_t i = 0; i < pitch.size(); ++i) {
    if (pitch[i] <= kMaxBytes / element && pitch[i] * element % kAlignment == 0) continue;
    const std::string what = i == 0   ? "rows"
                             : i == 1 ? "planes"
                                      : fmt::format("parts of dimension {}", i + 1);
    return fmt::format("{} begin {} elements of {} apart, expected a multiple of {} bytes, at most {}", what,
                       pitch[i], base::counted(type.size_bytes, "byte"), kAlignment, kMaxBytes);
  }
  return std::nullopt;
}

}  // namespace

base::Result<ResolvedArgument> resolve_tensor_map(const Argument& argument,
                                                  const KernelDefinition& definition,
                                                  const model::NamedValues& problem,
                                                  const model::NamedValues& scope) {
  const TensorMap& map = *argument.tensor_map;
  const auto fail = [&](const std::string& reason) {
    return base::failure(fmt::format("the tensor map '{}': {}", argument.name, reason));
  };
  ResolvedArgument resolved;
  resolved.name = argument.name;
  resolved.kind = ArgumentKind::kTensorMap;
  const auto buffer = std::find_if(definition.arguments.begin(), definition.arguments.end(),
                                   [&](const Argument& other) { return other.name == map.of; });
  base::Result<ResolvedArgument> resolved_buffer = resolve_argument(*buffer, problem, scope);
  if (!resolved_buffer) return fail(resolved_buffer.error());
  if (const auto fault = resolve_pitch(*buffer, scope, *resolved_buffer)) return fail(*fault);
  resolved.type = resolved_buffer->type;
  resolved.tensor_map.buffer = static_cast<std::size_t>(buffer - definition.arguments.begin());
  if (map.when) {
    const base::Result<bool> holds = map.when->evaluate(scope).and_then(model::to_truth);
    if (!holds) return fail(fmt::format("'{}': {}", map.when->text(), holds.error()));
    if (!*holds) return resolved;  // An empty map: the configuration does not use it.
  }
  // All limits are those of cuTensorMapEncodeTiled (CUDA driver API).
  const auto shape = extents_of(map.shape, scope, std::int64_t{1} << 32);
  if (!shape) return fail(shape.error());
  const auto box = extents_of(map.box, scope, 256);
  if (!box) return fail(box.error());
  auto pitch = extents_of(map.pitch, scope, std::int64_t{1} << 40);
  if (!pitch) return fail(pitch.error());
  // If the definition gives no pitch, the elements are packed.
  std::int64_t packed = 1;
  for (std::size_t i = 0; map.pitch.empty() && i + 1 < shape->size(); ++i) {
    if (__builtin_mul_overflow(packed, (*shape)[i], &packed)) return fail("its size overflows 64 bits");
    pitch->push_back(packed);
  }
  if (const auto fault = pitch_violation(*pitch, info(resolved.type))) return fail(*fault);
  std::int64_t last = 1;  // The index of the last element plus one.
  for (std::size_t i = 0; i < shape->size(); ++i) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow((*shape)[i] - 1, i == 0 ? 1 : (*pitch)[i - 1], &step) ||
        __builtin_add_overflow(last, step, &last))
      return fail("its size overflows 64 bits");
  }
  if (last > resolved_buffer->placed_count())
    return fail(fmt::format("it needs {} elements of '{}', which has {}", last, map.of,
                            resolved_buffer->placed_count()));
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

namespace {

bool has_textures(DataType type) { return type != DataType::kBf16 && info(type).size_bytes <= 4; }

// The limits are from the CUDA C++ Programming Guide, table "Technical Specifications per Compute
// Capability", for textures bound to linear memory. Rows are aligned to 32 bytes
// (cudaDeviceProp::texturePitchAlignment).
std::optional<std::string> extent_violation(const ResolvedTexture& texture, const std::string& of,
                                            const ResolvedArgument& buffer) {
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;
  constexpr std::int64_t kMaxWidth = 131072;
  constexpr std::int64_t kMaxHeight = 65000;
  constexpr std::int64_t kRowAlignment = 32;
  if (texture.height == 0) {
    if (texture.width <= kMaxElements) return std::nullopt;
    return fmt::format("it has {} elements, expected at most {}", texture.width, kMaxElements);
  }
  if (texture.width < 1 || texture.width > kMaxWidth || texture.height < 1 || texture.height > kMaxHeight)
    return fmt::format("it has {} x {} elements, expected 1 x 1 to {} x {}", texture.width, texture.height,
                       kMaxWidth, kMaxHeight);
  if (texture.pitch < texture.width)
    return fmt::format("rows of {} elements begin only {} elements apart", texture.width, texture.pitch);
  const std::int64_t row_bytes = texture.pitch * static_cast<std::int64_t>(info(buffer.type).size_bytes);
  if (row_bytes % kRowAlignment != 0)
    return fmt::format("rows begin {} bytes apart, expected a multiple of {}", row_bytes, kRowAlignment);
  const std::int64_t last = (texture.height - 1) * texture.pitch + texture.width;
  if (last > buffer.placed_count())
    return fmt::format("it needs {} elements of '{}', which has {}", last, of, buffer.placed_count());
  return std::nullopt;
}

}  // namespace

base::Result<ResolvedArgument> resolve_texture(const Argument& argument, const KernelDefinition& definition,
                                               const model::NamedValues& problem,
                                               const model::NamedValues& scope) {
  const Texture& texture = *argument.texture;
  const auto fail = [&](const std::string& reason) {
    return base::failure(fmt::format("the texture '{}': {}", argument.name, reason));
  };
  const auto buffer = std::find_if(definition.arguments.begin(), definition.arguments.end(),
                                   [&](const Argument& other) { return other.name == texture.of; });
  base::Result<ResolvedArgument> resolved_buffer = resolve_argument(*buffer, problem, scope);
  if (!resolved_buffer) return fail(resolved_buffer.error());
  if (const auto fault = resolve_pitch(*buffer, scope, *resolved_buffer)) return fail(*fault);
  ResolvedArgument resolved;
  resolved.name = argument.name;
  resolved.kind = ArgumentKind::kTexture;
  resolved.type = resolved_buffer->type;
  if (!has_textures(resolved_buffer->type))
    return fail(fmt::format("textures do not support elements of type {}", info(resolved_buffer->type).name));
  if (texture.linear && !info(resolved_buffer->type).floating)
    return fail(fmt::format("the linear filter does not support elements of type {}",
                            info(resolved_buffer->type).name));
  // One row with the whole buffer, unless the definition gives a width, height or pitch.
  resolved.texture = {static_cast<std::size_t>(buffer - definition.arguments.begin()),
                      resolved_buffer->placed_count(),
                      0,
                      resolved_buffer->placed_count(),
                      texture.linear,
                      texture.border};
  for (const auto& [expression, extent] : {std::pair{&texture.width, &resolved.texture.width},
                                           std::pair{&texture.height, &resolved.texture.height},
                                           std::pair{&texture.pitch, &resolved.texture.pitch}}) {
    if (!*expression) continue;
    const base::Result<std::int64_t> value = integer_of(**expression, scope);
    if (!value) return fail(value.error());
    *extent = *value;
  }
  if (texture.width && !texture.pitch) resolved.texture.pitch = resolved.texture.width;
  if (texture.height && resolved.texture.height < 1)
    return fail(
        fmt::format("'{}' is {}, expected 1 or more", texture.height->text(), resolved.texture.height));
  if (const auto fault = extent_violation(resolved.texture, texture.of, *resolved_buffer))
    return fail(*fault);
  return resolved;
}

}  // namespace warptune::kernel_templates::resolution
