#pragma once

#include "db/header_export.h"

namespace warptune::tuner::json_output {

/// The format `json` of `warptune export`. It is here and not in `db`, because it has the objects of all JSON
/// outputs.
db::ExportFormat winners_format();

}  // namespace warptune::tuner::json_output
