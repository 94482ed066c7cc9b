#pragma once

#include <cstdint>

#include "db/store.h"

namespace warptune::db {

/// What `Store::import_rows` has done with the rows of a file.
struct ImportCounts {
  std::uint64_t added = 0;
  std::uint64_t known = 0;      ///< Rows that had been imported before.
  std::int64_t session_id = 0;  ///< The session of the added rows; 0 if none was added.
};

// `Store::import_rows` adds the measurements of `recording` as imported rows (`model::RowSource::kImported`)
// of one new session with the strategy `import`. The session gets the recording's environment, work, roofs
// and default.
//
// A row that was imported before, from whichever file, is not added again: it has the same workload,
// configuration, times, resources and counters. A file of another format rounds otherwise. So a row is also
// known if it has the same status, the same median to a tenth of a nanosecond, and the same counters to five
// digits. Any other row of a configuration of which a row was imported is refused with `base::InputError`,
// and nothing is written: a corrected file does not mix with the earlier one. If all rows are known, nothing
// is written. `imported_ms` is the Unix time of the import, which is stored as the session's. It does not
// matter to whether a row is known.
//
// The session's origin is computed from its rows. So a file that was imported into two databases gives the
// same rows when they are merged. A session that was deleted (`Store::prune`) and is imported again gets
// another origin, so that its deletion does not remove it.

}  // namespace warptune::db
