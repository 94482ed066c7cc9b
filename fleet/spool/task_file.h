// The state of a task: the name of its only file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/task_record.h"

namespace warptune::fleet::spool {

/// What the name of a task's file says. The file is empty and is renamed from state to state. No name ever
/// comes back, because each lease has a fence of its own. So a process that renames a file by the name that
/// it saw cannot undo what others have done since.
struct TaskFile {
  std::uint64_t task = 0;
  std::uint64_t fence = 1;    ///< Open: the fence of the next lease. Otherwise that of the last one.
  std::uint64_t retried = 0;  ///< Losses up to this fence do not count towards the quarantine.
  TaskState state = TaskState::kOpen;
  // Leased tasks only:
  std::string node{};
  std::int64_t started_ms = 0;
  std::string token{};  ///< Random, so that a node with several connections knows which of them has leased.
  // Closed tasks only:
  std::uint64_t era = 0;  ///< The campaign's era (`eras.h`) when the task was closed.

  /// `TASK.FENCE.RETRIED` of an open task, `TASK.FENCE.RETRIED.NODE.STARTED.TOKEN` of a leased one,
  /// `TASK.FENCE.RETRIED.STATE.ERA` of a closed one.
  std::string name() const;
  bool operator==(const TaskFile&) const = default;
};

/// std::nullopt for any other name.
std::optional<TaskFile> parse_task_file(std::string_view name);

/// Reads a number without a sign. std::nullopt for any other text.
std::optional<std::uint64_t> parse_number(std::string_view text);
/// The parts of a text between the separators; there is at least one.
std::vector<std::string_view> parts_of(std::string_view text, char separator);

/// Whether the state cannot change any more unless a person retries the campaign.
bool is_closed(TaskState state);

}  // namespace warptune::fleet::spool
