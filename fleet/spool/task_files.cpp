// Three kinds of files say what is true of a task. An era (`eras.h`) says what people want. The record of an
// attempt (`attempt_files.h`) says how a lease has ended. The task's own file says the rest. Eras and records
// are made by one call each. The task's file follows them: a process that is killed before it has renamed the
// file leaves work that any other process does by the same rules (`complete`, `settle`).
#include "fleet/spool/task_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "fleet/spool/warnings.h"

namespace warptune::fleet::spool {

namespace {

constexpr const char* kOpenFolder = "open";
constexpr const char* kLeasedFolder = "leased";
constexpr const char* kClosedFolder = "closed";
// A file may be missed while it is renamed. Whether it is really missing is asked so often.
constexpr int kScans = 10;
constexpr int kSettlings = 1000;

bool is_open_file(const TaskFile& file) { return file.state == TaskState::kOpen; }
bool is_leased_file(const TaskFile& file) { return file.state == TaskState::kLeased; }
bool is_closed_file(const TaskFile& file) { return is_closed(file.state); }

// Names of one task in the order in which it has them.
auto order_of(const TaskFile& file) {
  const int stage = is_open_file(file) ? 0 : is_leased_file(file) ? 1 : 2;
  return std::tuple(file.fence, stage, file.era);
}

TaskFile reopened(const TaskFile& closed) { return {closed.task, closed.fence + 1, closed.fence}; }

TaskFile closed_file(const TaskFile& file, TaskState state, std::uint64_t era) {
  TaskFile closed{file.task, file.fence, file.retried, state};
  closed.era = era;
  return closed;
}

}  // namespace

TaskFiles::TaskFiles(const Folder& folder, const Campaign& campaign, Eras& eras)
    : campaign_(campaign),
      folder_(folder.again()),
      eras_(eras),
      attempts_(folder),
      open_(folder.at(kOpenFolder)),
      leased_(folder.at(kLeasedFolder)),
      closed_(folder.at(kClosedFolder)) {}

void TaskFiles::make(const Folder& folder, const Campaign& campaign) {
  for (const char* name : {kLeasedFolder, kClosedFolder, "attempts", "reports", "eras", "rows", "log"})
    folder.made(name);
  const Folder open = folder.made(kOpenFolder);
  std::vector<Folder> classes;
  for (std::size_t i = 0; i < campaign.classes.size(); ++i) classes.push_back(open.made(std::to_string(i)));
  for (std::uint64_t task = 0; task < campaign.tasks.size(); ++task)
    classes.at(campaign.tasks[task].class_index).make_empty(TaskFile{task}.name());
  for (const Folder& one : classes) one.sync();
}

std::vector<TaskFile> TaskFiles::listed(const Folder& folder, bool (*fits)(const TaskFile&)) const {
  std::vector<TaskFile> files;
  for (const std::string& name : folder.names()) {
    auto file = parse_task_file(name);
    if (file && fits(*file) && file->task < campaign_.tasks.size())
      files.push_back(std::move(*file));
    else
      warn_once(fmt::format("{}: this file does not belong to the spool, and is left out",
                            (folder.path() / name).string()));
  }
  return files;
}

std::vector<TaskFile> TaskFiles::open_tasks(std::uint64_t class_index) const {
  const auto folder = open_.find(std::to_string(class_index));
  return folder ? listed(*folder, is_open_file) : std::vector<TaskFile>{};
}

std::vector<TaskFile> TaskFiles::leased_tasks() const { return listed(leased_, is_leased_file); }

std::optional<TaskFile> TaskFiles::find_leased(std::uint64_t task, std::uint64_t fence) const {
  for (TaskFile& file : leased_tasks())
    if (file.task == task && file.fence == fence) return std::move(file);
  return std::nullopt;
}

std::optional<TaskFile> TaskFiles::lease(const TaskFile& open, const std::string& node) const {
  const Folder folder = open_.at(std::to_string(campaign_.tasks.at(open.task).class_index));
  // The lease counts from now on. Others may do the same at the same time: one of them renames the file.
  if (!folder.touch(open.name())) return std::nullopt;
  const auto status = folder.status(open.name());
  if (!status) return std::nullopt;
  TaskFile leased = open;
  leased.state = TaskState::kLeased;
  leased.node = node;
  leased.started_ms = status->changed_ms;
  leased.token = Folder::token();
  if (!folder.move(open.name(), leased_, leased.name())) return std::nullopt;
  try {
    leased_.sync();
  } catch (const base::MachineError&) {
    // The caller does not learn of the lease, so nobody would run the task until it ends.
    leased_.move(leased.name(), folder, TaskFile{open.task, open.fence + 1, open.retried}.name());
    throw;
  }
  return leased;
}

std::optional<std::int64_t> TaskFiles::renewed_ms(const TaskFile& leased, bool current) const {
  const auto status = current ? leased_.current_status(leased.name()) : leased_.status(leased.name());
  if (!status) return std::nullopt;
  return status->changed_ms;
}

bool TaskFiles::end(const TaskFile& leased, AttemptEnd end, const std::string& reason,
                    const std::optional<TaskOutcome>& outcome, std::int64_t now_ms) {
  const Attempt attempt{leased.fence, leased.node,       end,
                        reason,       leased.started_ms, std::max(now_ms, leased.started_ms),
                        outcome};
  const bool ended = attempts_.end(leased.task, attempt);
  complete(leased);
  return ended;
}

bool TaskFiles::is_to_be_quarantined_after(const TaskFile& leased) const {
  std::vector<Attempt> attempts;
  for (std::uint64_t fence = leased.retried + 1; fence <= leased.fence; ++fence)
    if (auto attempt = attempts_.find(leased.task, fence)) attempts.push_back(std::move(*attempt));
  return is_to_be_quarantined(attempts, leased.retried);
}

TaskFile TaskFiles::next_file(const TaskFile& leased, AttemptEnd end) const {
  const auto closed = [&](TaskState state) { return closed_file(leased, state, eras_.current()); };
  if (end == AttemptEnd::kDone) return closed(TaskState::kDone);
  if (end == AttemptEnd::kFailed) return closed(TaskState::kFailed);
  if (eras_.cancelled()) return closed(TaskState::kCancelled);
  if (end == AttemptEnd::kLost && is_to_be_quarantined_after(leased)) return closed(TaskState::kQuarantined);
  return {leased.task, leased.fence + 1, leased.retried};
}

void TaskFiles::move_from(const Folder& folder, const TaskFile& from, const TaskFile& to) const {
  if (is_closed_file(to))
    folder.move(from.name(), closed_, to.name());
  else
    folder.move(from.name(), open_.at(std::to_string(campaign_.tasks.at(from.task).class_index)), to.name());
}

void TaskFiles::complete(const TaskFile& leased) {
  const auto attempt = attempts_.find(leased.task, leased.fence);
  if (!attempt) return;
  eras_.refresh(folder_);
  const TaskFile next = next_file(leased, attempt->end);
  move_from(leased_, leased, next);
  // A person may have begun an era between the two calls. Whoever settled it may not have seen this file.
  eras_.refresh(folder_);
  if (state_of(next) != next.state) settle(attempt->ended_ms);
}

TaskState TaskFiles::state_of(const TaskFile& file) const {
  TaskState state = file.state;
  if (is_closed(state) && state != TaskState::kDone && file.era < eras_.last_retry())
    state = TaskState::kOpen;
  const bool cancels =
      state == TaskState::kOpen || state == TaskState::kLeased || state == TaskState::kQuarantined;
  return eras_.cancelled() && cancels ? TaskState::kCancelled : state;
}

bool TaskFiles::settle_once(std::int64_t now_ms) {
  bool settled = true;
  const std::uint64_t era = eras_.current();
  if (eras_.cancelled()) {
    for (std::uint64_t index = 0; index < campaign_.classes.size(); ++index)
      for (const TaskFile& file : open_tasks(index)) {
        move_from(open_.at(std::to_string(index)), file, closed_file(file, TaskState::kCancelled, era));
        settled = false;
      }
    for (const TaskFile& file : leased_tasks()) {
      const Attempt cancelled{file.fence, file.node,       AttemptEnd::kCancelled,
                              {},         file.started_ms, std::max(now_ms, file.started_ms),
                              {}};
      attempts_.end(file.task, cancelled);
      if (const auto ended = attempts_.find(file.task, file.fence))
        move_from(leased_, file, next_file(file, ended->end));
      settled = false;
    }
  }
  for (const TaskFile& file : listed(closed_, is_closed_file)) {
    const TaskState state = state_of(file);
    if (state == file.state) continue;
    move_from(closed_, file, state == TaskState::kOpen ? reopened(file) : closed_file(file, state, era));
    settled = false;
  }
  return settled;
}

void TaskFiles::settle(std::int64_t now_ms) {
  for (int pass = 0; pass < kSettlings; ++pass) {
    eras_.refresh(folder_);
    if (!settle_once(now_ms)) continue;
    eras_.note_settled(folder_);
    return;
  }
  throw base::MachineError(
      fmt::format("{}: the files of this campaign change too often to be renamed", folder_.path().string()),
      "try again");
}

void TaskFiles::restore(std::uint64_t task, std::uint64_t fence) const {
  const Folder folder = open_.made(std::to_string(campaign_.tasks.at(task).class_index));
  folder.add(TaskFile{task, fence + 1, fence}.name(), "");
}

std::uint64_t TaskFiles::reopen_damaged(const BatchFiles& batches) const {
  std::uint64_t opened = 0;
  for (const TaskFile& file : listed(closed_, is_closed_file)) {
    if (file.state != TaskState::kDone) continue;
    const auto damage = batches.damage_of(file.task, file.retried);
    if (!damage) continue;
    base::log_warning(
        fmt::format("task {} of {} was done, and is open again: {}", file.task, campaign_.name, *damage));
    move_from(closed_, file, reopened(file));
    ++opened;
  }
  return opened;
}

std::vector<std::optional<TaskFile>> TaskFiles::scan() const {
  std::vector<std::optional<TaskFile>> found(campaign_.tasks.size());
  const auto add = [&](const std::vector<TaskFile>& files) {
    for (const TaskFile& file : files)
      if (auto& known = found[file.task]; !known || order_of(*known) < order_of(file)) known = file;
  };
  for (int scan = 0; scan < kScans; ++scan) {
    for (std::uint64_t index = 0; index < campaign_.classes.size(); ++index) add(open_tasks(index));
    add(leased_tasks());
    add(listed(closed_, is_closed_file));
    if (std::all_of(found.begin(), found.end(), [](const auto& file) { return file.has_value(); }))
      return found;
  }
  for (std::uint64_t task = 0; task < found.size(); ++task)
    if (!found[task])
      warn_once(fmt::format("{}: the file of task {} is missing", folder_.path().string(), task));
  return found;
}

}  // namespace warptune::fleet::spool
