#include "kernel_templates/permissions.h"

#include <system_error>

namespace warptune::kernel_templates {

bool Trust::covers(const TrustDemand& demand) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = decided_.try_emplace(demand.definition.parent_path(), false);
  if (is_new) entry->second = decide_(demand);
  return entry->second;
}

bool is_trusted_by_user(const Permissions& permissions, const std::filesystem::path& definition,
                        const std::string& purpose) {
  if (permissions.trust == nullptr) return false;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(definition, error);
  return !error && permissions.trust->covers({real, purpose});
}

}  // namespace warptune::kernel_templates
