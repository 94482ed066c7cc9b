#pragma once

#include "db/header_export.h"

namespace warptune::tuner::json_output {

/// The format `json` of `warptune export`. It is not in `db`, where most formats are, because it
/// consists of objects that other JSON outputs have, too.
db::ExportFormat winners_format();

}  // namespace warptune::tuner::json_output
