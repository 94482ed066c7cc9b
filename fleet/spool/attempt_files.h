// How the attempts of a campaign's tasks have ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "fleet/spool/folder.h"
#include "fleet/task_record.h"

namespace warptune::fleet::spool {

/// An attempt ends when its record is linked to its place, which only one process can do. What follows, such
/// as renaming the task's file, is completed by any process that finds the record. A record never changes.
/// The outcome of a late report lies beside it.
class AttemptFiles {
 public:
  explicit AttemptFiles(const Folder& campaign)
      : attempts_(campaign.at("attempts")), reports_(campaign.at("reports")) {}

  /// Ends an attempt. Returns false if it has ended already.
  bool end(std::uint64_t task, const Attempt& attempt) const;
  /// Whether the attempt has ended.
  bool has_ended(std::uint64_t task, std::uint64_t fence) const;
  /// The record of an attempt that has ended, with a late report if there is one. A damaged record is that of
  /// a lost attempt. std::nullopt if the attempt has not ended.
  std::optional<Attempt> find(std::uint64_t task, std::uint64_t fence) const;
  /// Stores the outcome of an attempt that has ended without one. Does nothing if it has one.
  void add_report(std::uint64_t task, std::uint64_t fence, const TaskOutcome& outcome) const;

  using Key = std::pair<std::uint64_t, std::uint64_t>;  ///< Task and fence.
  /// Reads all records that `known` does not have yet.
  void read_all(std::map<Key, Attempt>& known) const;

 private:
  Folder attempts_;
  Folder reports_;
};

}  // namespace warptune::fleet::spool
