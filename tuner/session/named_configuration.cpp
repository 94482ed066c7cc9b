#include "tuner/session/named_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace warptune::tuner::session {

model::NamedValues with_changes(model::NamedValues start, const model::NamedValues& changes) {
  for (const auto& change : changes) {
    const auto found = std::find_if(start.begin(), start.end(),
                                    [&](const auto& entry) { return entry.first == change.first; });
    if (found == start.end()) {
      start.push_back(change);
    } else {
      found->second = change.second;
    }
  }
  return start;
}

void require_valid(const model::Space& space, const model::NamedValues& values, const std::string& option) {
  const base::Result<model::Configuration> configuration = space.configuration_of(values);
  if (!configuration) throw base::InputError(fmt::format("--{}: {}", option, configuration.error()));
  if (const std::optional<std::string> broken = space.broken_constraint(*configuration))
    throw base::InputError(
        fmt::format("--{}: {} breaks a constraint: {}", option, model::to_text(values), *broken));
  if (!space.contains(*configuration)) {
    throw base::InputError(
        fmt::format("--{}: {} is not one of the recorded configurations", option, model::to_text(values)));
  }
}

}  // namespace warptune::tuner::session
