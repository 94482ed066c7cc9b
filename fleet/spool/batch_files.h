// The batches of a campaign's rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/fleet_store.h"
#include "fleet/spool/cursor.h"
#include "fleet/spool/folder.h"

namespace warptune::fleet::spool {

/// Batches lie in `rows/TASK/FENCE.NODE.SEQUENCE`. An entry of the log is a second name of the same file.
/// Entry number 1000 N + M is `log/N/M`, with M below 1000. A number is taken only if the one before it is
/// taken, and nothing is removed. So the log has no gaps. A reader that has read the first n entries
/// continues with entry n. It leaves out nothing, whatever clocks say. One call shows that there is nothing
/// new.
class BatchFiles {
 public:
  /// `log_end` is a number that the log has reached; it is raised.
  BatchFiles(const Folder& folder, const std::string& campaign, std::uint64_t& log_end);

  void publish(const BatchName& name, std::string_view bytes);
  /// Appends the batches from an entry of the log on. Returns the next entry.
  LogPosition list(const LogPosition& from, const BatchFilter& filter, std::vector<BatchName>& batches) const;
  /// The batches of a task that are in the log. One is left out if its process was killed right after it had
  /// entered it.
  std::vector<BatchName> of_task(std::uint64_t task) const;
  /// Throws `base::InputError` if the batch is missing or damaged.
  std::string read(const BatchName& name) const;
  /// Why the first damaged batch of a task cannot be read. Only those of leases after `fence` are looked at.
  /// std::nullopt if none is damaged. It reads all of these batches.
  std::optional<std::string> damage_of(std::uint64_t task, std::uint64_t fence) const;

 private:
  /// As `read`. `advice` follows the message about damage.
  std::string read_checked(const BatchName& name, const std::string& advice) const;
  std::string digest_before(std::uint64_t entry) const;
  void enter(const Folder& rows, const std::string& file);
  bool is_taken(std::uint64_t entry) const;
  void find_end();

  std::string campaign_;
  Folder rows_;
  Folder log_;
  std::uint64_t& log_end_;
};

}  // namespace warptune::fleet::spool
