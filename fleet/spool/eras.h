// What people have told a campaign: to stop, and to run again.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/spool/folder.h"

namespace warptune::fleet::spool {

/// Each time that a person cancels or retries a campaign, a new era begins: a file with the era's number as
/// its name, from 1. One call makes that file. From then on, the states of all tasks follow from the names of
/// their files and the eras, whether their files have been renamed yet or not:
/// * in an era that cancels, tasks that are open, leased or quarantined are cancelled;
/// * tasks that were closed in an era before the last one that retries are open, except those that are done.
class Eras {
 public:
  /// Reads eras that have begun since the last call.
  void refresh(const Folder& campaign);
  std::uint64_t current() const { return cancels_.size(); }
  bool cancelled() const { return !cancels_.empty() && cancels_.back(); }
  /// The last era that a retry began, or 0.
  std::uint64_t last_retry() const;
  /// Begins an era, or does nothing if the current one is of the same kind already and `always` is not set.
  void begin(const Folder& campaign, bool cancels, bool always);

  /// Whether all files of tasks have been renamed as the current era says.
  bool is_settled(const Folder& campaign);
  void note_settled(const Folder& campaign);

 private:
  std::vector<bool> cancels_;  ///< For each era whether it cancels.
  std::uint64_t settled_ = 0;
};

}  // namespace warptune::fleet::spool
