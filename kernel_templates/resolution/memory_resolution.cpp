// Evaluates where a buffer is, and what the driver is told about the pages of managed memory.
#include "kernel_templates/resolution/memory_resolution.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace warptune::kernel_templates::resolution
