#include "fleet/campaign.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"
#include "fleet/names.h"
#include "model/encoding/json_fields.h"

namespace warptune::fleet {

std::string Campaign::digest() const { return base::hash_hex(model::encoding::json_of(*this).dump()); }

void Campaign::require_valid() const {
  require_campaign_name(name);
  for (const Task& task : tasks)
    if (task.class_index >= classes.size())
      throw base::InputError(fmt::format("a task of the campaign '{}' has the class {}, which is missing",
                                         name, task.class_index));
}

}  // namespace warptune::fleet
