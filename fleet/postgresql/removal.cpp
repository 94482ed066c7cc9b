#include "fleet/postgresql/removal.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "base/error.h"

namespace warptune::fleet::postgresql {

namespace {

// Leases go first, because reports lock a lease before its task. A node that leases meanwhile locks the task,
// so its lease is seen after the tasks were deleted.
constexpr const char* kLeases = "DELETE FROM warptune.lease WHERE campaign = $1";
constexpr const char* kTasks = "DELETE FROM warptune.task WHERE campaign = $1 RETURNING 1";
constexpr const char* kBatches = "DELETE FROM warptune.batch WHERE campaign = $1 RETURNING 1";
constexpr const char* kRest[] = {
    kLeases,
    "DELETE FROM warptune.attempt WHERE campaign = $1",
    "DELETE FROM warptune.refusal WHERE class IN (SELECT id FROM warptune.class WHERE campaign = $1)",
    "DELETE FROM warptune.class_count WHERE class IN (SELECT id FROM warptune.class WHERE campaign = $1)",
    "DELETE FROM warptune.class WHERE campaign = $1",
    "DELETE FROM warptune.campaign WHERE id = $1"};

}  // namespace

RemovedCampaign remove_campaign(Connection& connection, const std::string& name, bool force) {
  Connection::Transaction transaction(connection);
  const Rows found = transaction.run("SELECT warptune.campaign_id($1)", {Parameter(name)});
  const std::uint64_t id = found.count(0, 0);
  if (!force) {
    CampaignSummary summary{name, ""};
    const Rows states = transaction.run(
        "SELECT state, count(*) FROM warptune.task WHERE campaign = $1 GROUP BY state", {Parameter(id)});
    for (std::size_t row = 0; row < states.size(); ++row)
      if (const std::optional<TaskState> state = parse_task_state(states.text(row, 0)))
        summary.tasks[*state] = states.count(row, 1);
    require_ended(summary);
  }
  RemovedCampaign removed;
  transaction.run(kLeases, {Parameter(id)});
  removed.tasks = transaction.run(kTasks, {Parameter(id)}).size();
  removed.batches = transaction.run(kBatches, {Parameter(id)}).size();
  for (const char* statement : kRest) transaction.run(statement, {Parameter(id)});
  transaction.commit();
  return removed;
}

}  // namespace warptune::fleet::postgresql
