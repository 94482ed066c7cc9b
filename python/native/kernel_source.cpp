#include "python/native/kernel_source.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "tuner/trust/trust_question.h"

namespace warptune::python::native {

kernel_templates::Permissions KernelSource::permissions() const {
  kernel_templates::Permissions permissions;
  for (const std::string& folder : readable)
    permissions.readable.push_back(kernel_templates::granted_folder(folder));
  if (trusted) permissions.trust = tuner::trust::trust_all_definitions();
  return permissions;
}

model::CacheState cache_state_of(const std::string& text) {
  const std::optional<model::CacheState> state = model::parse_cache_state(text);
  if (!state) throw base::InputError(fmt::format("cache=\"{}\": expected cold, warm or unknown", text));
  return *state;
}

}  // namespace warptune::python::native
