#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/threads/repeated_step.h"
#include "db/storage/sqlite.h"

namespace warptune::db::claims {

/// Renews the entry of a claimant at intervals, from a thread with a connection of its own. So claims do not
/// end while their session waits long for something else: while GPUs are set up, or while counters are read.
/// They end when the process is stopped, because this thread stops with it.
///
/// An entry whose claims are not published is not renewed, and neither is one that others have removed: the
/// session makes it again when it looks. A database that cannot be written is tried again.
class Renewal {
 public:
  /// `database` is the file with the entry `claimant`.
  Renewal(std::filesystem::path database, std::int64_t claimant, std::chrono::milliseconds interval);
  Renewal(const Renewal&) = delete;
  Renewal& operator=(const Renewal&) = delete;

 private:
  void renew();

  std::filesystem::path database_;
  std::int64_t claimant_;
  std::optional<storage::Database> connection_;  // Only the thread uses it. Short sessions never open it.
  base::threads::RepeatedStep renewing_;         // Last, because its thread uses the members above.
};

}  // namespace warptune::db::claims
