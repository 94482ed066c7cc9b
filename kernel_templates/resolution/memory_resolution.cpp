// Evaluates where a buffer is, how its rows are laid out, and what the driver is told about the pages of
// managed memory.
#include "kernel_templates/resolution/memory_resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "kernel_templates/resolution/argument_resolution.h"

namespace warptune::kernel_templates::resolution {

namespace {

// The place that an advice names. `none` and a missing expression mean that there is no such advice.
base::Result<std::optional<PagePlace>> advised_place(const std::optional<model::Expression>& expression,
                                                     const std::string& what,
                                                     const model::NamedValues& scope) {
  if (!expression) return std::optional<PagePlace>();
  const base::Result<std::size_t> index = index_of_choice(*expression, advised_place_names(), what, scope);
  if (!index) return base::failure(index.error());
  // "none" follows the places.
  return *index < page_place_names().size() ? std::optional(static_cast<PagePlace>(*index)) : std::nullopt;
}

// An expression with its value, or the value alone if the expression is a number.
std::string value_text(const model::Expression& expression, std::int64_t value) {
  const std::string number = std::to_string(value);
  return expression.text() == number ? number : fmt::format("'{}', which is {}", expression.text(), number);
}

}  // namespace

base::Result<Memory> resolve_memory(const Argument& argument, const model::NamedValues& scope) {
  if (!argument.memory) return Memory::kDevice;
  const base::Result<std::size_t> index = index_of_choice(
      *argument.memory, memory_names(), fmt::format("the memory of '{}'", argument.name), scope);
  if (!index) return base::failure(index.error());
  return static_cast<Memory>(*index);
}

base::Result<PagePlace> resolve_page_place(const model::Expression& expression, const std::string& what,
                                           const model::NamedValues& scope) {
  const base::Result<std::size_t> index = index_of_choice(expression, page_place_names(), what, scope);
  if (!index) return base::failure(index.error());
  return static_cast<PagePlace>(*index);
}

base::Result<ManagedPages> resolve_managed_pages(const Argument& argument, const model::NamedValues& scope) {
  const ManagedMemory& managed = argument.managed;
  const auto what = [&](const char* key) { return fmt::format("the {} of '{}'", key, argument.name); };
  ManagedPages pages;
  if (managed.residency) {
    const auto residency = resolve_page_place(*managed.residency, what("residency"), scope);
    if (!residency) return base::failure(residency.error());
    pages.residency = *residency;
  }
  if (managed.read_mostly) {
    const base::Result<bool> holds = managed.read_mostly->evaluate(scope).and_then(model::to_truth);
    if (!holds) return base::failure(fmt::format("{}: {}", what("advice read_mostly"), holds.error()));
    pages.read_mostly = *holds;
  }
  const auto preferred = advised_place(managed.preferred_location, what("preferred_location"), scope);
  if (!preferred) return base::failure(preferred.error());
  pages.preferred_location = *preferred;
  const auto accessed_by = advised_place(managed.accessed_by, what("accessed_by"), scope);
  if (!accessed_by) return base::failure(accessed_by.error());
  pages.accessed_by = *accessed_by;
  return pages;
}

std::optional<std::string> resolve_width(const Argument& argument, const model::NamedValues& scope,
                                         ResolvedArgument& resolved) {
  if (!argument.width) return std::nullopt;
  const base::Result<std::int64_t> width = integer_of(*argument.width, scope);
  if (!width) return fmt::format("the width of argument '{}': {}", argument.name, width.error());
  if (*width < 1 || resolved.count % *width != 0)
    return fmt::format("argument '{}' has {} elements, expected a multiple of its width {}", argument.name,
                       resolved.count, value_text(*argument.width, *width));
  resolved.width = resolved.pitch = *width;
  return std::nullopt;
}

std::optional<std::string> resolve_pitch(const Argument& argument, const model::NamedValues& scope,
                                         ResolvedArgument& resolved) {
  constexpr std::int64_t kMaxBytes = INT32_MAX;  // CUDA driver API, CU_DEVICE_ATTRIBUTE_MAX_PITCH.
  if (!argument.pitch) return std::nullopt;
  const base::Result<std::int64_t> pitch = integer_of(*argument.pitch, scope);
  if (!pitch) return fmt::format("the pitch of argument '{}': {}", argument.name, pitch.error());
  const std::int64_t maximum = std::min(kMaxBytes, INT64_MAX / resolved.rows()) / resolved.element_bytes();
  if (*pitch < resolved.width || *pitch > maximum) {
    return fmt::format("the pitch '{}' of argument '{}' is {} elements, expected {} (its width) to {}",
                       argument.pitch->text(), argument.name, *pitch, resolved.width, maximum);
  }
  resolved.pitch = *pitch;
  return std::nullopt;
}

const Argument* argument_with_tuned_pitch(const KernelDefinition& definition) {
  const auto depends = [&](const model::Expression& pitch) {
    return std::any_of(
        definition.parameters.begin(), definition.parameters.end(),
        [&](const model::Parameter& one) { return base::contains(pitch.variables(), one.name); });
  };
  const auto found =
      std::find_if(definition.arguments.begin(), definition.arguments.end(),
                   [&](const Argument& argument) { return argument.pitch && depends(*argument.pitch); });
  return found == definition.arguments.end() ? nullptr : &*found;
}

}  // namespace warptune::kernel_templates::resolution
