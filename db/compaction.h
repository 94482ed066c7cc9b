#pragma once

#include <cstdint>

#include "db/store.h"

namespace warptune::db {

/// The sizes of a database file before and after `Store::compact`, its write-ahead log included.
struct Compaction {
  std::uint64_t before_bytes = 0;
  std::uint64_t after_bytes = 0;
  /// Whether other processes still read the earlier pages. The file becomes smaller when they have ended.
  bool still_read = false;
};

// `Store::compact` writes the database again without free pages and gaps. Everything stays in the same file.
// It is one transaction: other processes read the earlier pages meanwhile, and those that write wait. A
// killed process changes nothing. Throws `base::MachineError` if the disk has too little space, or if another
// process writes for more than 30 s.

}  // namespace warptune::db
