// Each function of the store is one call of a function in functions.sql, which is one transaction.
#include "fleet/postgresql/postgresql_store.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "fleet/names.h"
#include "fleet/postgresql/connection.h"
#include "fleet/postgresql/removal.h"
#include "fleet/postgresql/row_values.h"
#include "fleet/postgresql/schema.h"

namespace warptune::fleet::postgresql {

namespace {

using model::encoding::json;

constexpr std::size_t kRequestBytes = 16;

Parameter number(std::uint64_t value) { return Parameter(value); }

class PostgresqlStore : public FleetStore {
 public:
  PostgresqlStore(Connection connection, Access access)
      : connection_(std::move(connection)), access_(access) {
    begin_request();
  }

  const std::string& address() const override { return connection_.address(); }
  std::int64_t now_ms() override {
    return connection_.call("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        .integer(0, 0);
  }

  void add_campaign(const Campaign& campaign) override { add(campaign, std::nullopt); }
  void add_restricted_campaign(const Campaign& campaign, const std::string& role) override {
    add(campaign, role);
  }
  std::vector<CampaignSummary> campaigns() override;
  Campaign campaign(const std::string& name) override;
  std::vector<TaskRecord> tasks(const std::string& campaign) override;
  std::uint64_t cancel(const std::string& campaign) override {
    return connection_.call("SELECT warptune.cancel($1)", {Parameter(campaign)}).count(0, 0);
  }
  std::uint64_t retry(const std::string& campaign) override {
    return connection_.call("SELECT warptune.retry($1)", {Parameter(campaign)}).count(0, 0);
  }
  RemovedCampaign remove(const std::string& campaign, bool force) override {
    return remove_campaign(connection_, campaign, force);
  }

  std::string put_file(std::string_view bytes) override;
  std::optional<std::string> file(const std::string& digest) override;

  void enter_node(const Node& node) override {
    connection_.call("SELECT warptune.enter_node($1, $2)", {Parameter(node.id), fields_parameter(node)});
  }
  void leave_node(const std::string& node_id) override {
    connection_.call("SELECT warptune.leave_node($1)", {Parameter(node_id)});
  }
  std::vector<NodeRecord> nodes() override;
  void accept_node(const std::string& node_id) override {
    connection_.call("SELECT warptune.accept_node($1)", {Parameter(node_id)});
  }
  void set_refusals(const std::string& node_id, const std::vector<Refusal>& refusals) override {
    connection_.call("SELECT warptune.set_refusals($1, $2)",
                     {Parameter(node_id), fields_parameter(refusals)});
  }

  std::vector<OpenClass> open_classes() override;
  std::optional<Lease> lease(const std::string& node_id, const std::vector<ClassKey>& classes,
                             const std::set<TaskKey>& refused) override;
  std::vector<LeaseState> heartbeat(const std::string& node_id, const std::vector<LeaseKey>& leases) override;
  bool finish(const std::string& node_id, const LeaseKey& lease, const TaskOutcome& outcome) override;
  void give_back(const std::string& node_id, const LeaseKey& lease, AttemptEnd end,
                 const std::string& reason) override;

  void publish(const BatchName& name, std::string_view bytes) override;
  BatchList batches(const BatchFilter& filter, const std::string& cursor) override;
  std::string batch(const BatchName& name) override;

 private:
  void add(const Campaign& campaign, const std::optional<std::string>& role);
  template <class Value>
  Value read(std::string_view text) const {
    return value_from_json<Value>(address(), text);
  }
  void begin_request() { request_ = base::hash_hex(base::random_bytes(kRequestBytes)); }

  Connection connection_;
  Access access_;
  std::string request_;  ///< Names the next lease, so that a call that failed is repeated with the same name.
};

// Campaigns and files
// ------------------------------------------------------------------------------------------------------

void PostgresqlStore::add(const Campaign& campaign, const std::optional<std::string>& role) {
  campaign.require_valid();
  connection_.call("SELECT warptune.add_campaign($1, $2, $3, $4, $5)",
                   {Parameter(campaign.name), Parameter(campaign.digest()),
                    Parameter(role ? std::optional<std::string_view>(*role) : std::nullopt),
                    fields_parameter(campaign.classes), fields_parameter(campaign.tasks)});
}

std::vector<CampaignSummary> PostgresqlStore::campaigns() {
  const Rows rows = connection_.call("SELECT * FROM warptune.campaigns()");
  std::vector<CampaignSummary> summaries;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!are_names(address(), rows.text(row, 0))) continue;
    CampaignSummary& summary = summaries.emplace_back();
    summary.name = rows.text(row, 0);
    summary.digest = rows.text(row, 1);
    summary.added_ms = rows.integer(row, 2);
    summary.cancelled = rows.truth(row, 3);
    for (const auto& [name, count] : read<std::map<std::string, std::uint64_t>>(rows.text(row, 4)))
      if (const std::optional<TaskState> state = parse_task_state(name)) summary.tasks[*state] = count;
  }
  return summaries;
}

Campaign PostgresqlStore::campaign(const std::string& name) {
  const Rows rows = connection_.call("SELECT * FROM warptune.campaign_content($1)", {Parameter(name)});
  Campaign found{name, read<std::vector<TaskClass>>(rows.text(0, 0)),
                 read<std::vector<Task>>(rows.text(0, 1))};
  found.require_valid();
  return found;
}

std::vector<TaskRecord> PostgresqlStore::tasks(const std::string& campaign) {
  const Rows rows = connection_.call("SELECT * FROM warptune.tasks($1)", {Parameter(campaign)});
  std::vector<TaskRecord> records;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::optional<TaskState> state = parse_task_state(rows.text(row, 1));
    records.push_back({rows.count(row, 0), state.value_or(TaskState::kOpen),
                       attempts_from_json(address(), rows.text(row, 2))});
  }
  return records;
}

std::string PostgresqlStore::put_file(std::string_view bytes) {
  require_file_size(bytes);
  std::string digest = base::hash_hex(bytes);
  connection_.call("SELECT warptune.put_file($1, $2)", {Parameter(digest), Parameter::binary(bytes)});
  return digest;
}

std::optional<std::string> PostgresqlStore::file(const std::string& digest) {
  const Rows rows = connection_.call("SELECT * FROM warptune.file($1)", {Parameter(digest)}, Format::kBinary);
  if (rows.size() == 0) return std::nullopt;
  const std::string_view bytes = rows.text(0, 0);
  if (base::hash_hex(bytes) != digest)
    throw base::InputError(fmt::format("{}: the content of the file {} was changed", address(), digest));
  return std::string(bytes);
}

// Nodes and leases
// ------------------------------------------------------------------------------------------------------

std::vector<NodeRecord> PostgresqlStore::nodes() {
  const Rows rows = connection_.call("SELECT * FROM warptune.nodes()");
  std::vector<NodeRecord> records;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (std::optional<Node> node = node_from_json(address(), rows.text(row, 0)))
      records.push_back({std::move(*node), rows.integer(row, 1), rows.integer(row, 2), rows.truth(row, 3),
                         read<std::vector<Refusal>>(rows.text(row, 4)), rows.truth(row, 5)});
  return records;
}

std::vector<OpenClass> PostgresqlStore::open_classes() {
  const Rows rows =
      connection_.call(access_ == Access::kNode ? "SELECT * FROM warptune.open_classes_of_late()"
                                                : "SELECT * FROM warptune.open_classes()");
  std::vector<OpenClass> classes;
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (are_names(address(), rows.text(row, 0)))
      classes.push_back({{std::string(rows.text(row, 0)), rows.count(row, 1)},
                         read<TaskClass>(rows.text(row, 2)),
                         rows.count(row, 3),
                         rows.count(row, 4)});
  return classes;
}

std::optional<Lease> PostgresqlStore::lease(const std::string& node_id, const std::vector<ClassKey>& classes,
                                            const std::set<TaskKey>& refused) {
  json wanted = json::array();
  for (const ClassKey& key : classes) wanted.push_back({{"campaign", key.campaign}, {"class", key.index}});
  json unwanted = json::array();
  for (const TaskKey& key : refused) unwanted.push_back({{"campaign", key.campaign}, {"task", key.task}});
  const Rows rows = connection_.call(
      "SELECT * FROM warptune.lease($1, $2, $3, $4)",
      {Parameter(node_id), Parameter(request_), json_parameter(wanted), json_parameter(unwanted)});
  begin_request();
  if (rows.size() == 0) return std::nullopt;
  require_campaign_name(rows.text(0, 0));
  Lease lease;
  lease.key = {std::string(rows.text(0, 0)), rows.count(0, 1), rows.count(0, 2)};
  lease.task_class = read<TaskClass>(rows.text(0, 4));
  lease.task = {rows.count(0, 3), read<model::NamedValues>(rows.text(0, 5))};
  return lease;
}

std::vector<LeaseState> PostgresqlStore::heartbeat(const std::string& node_id,
                                                   const std::vector<LeaseKey>& leases) {
  json given = json::array();
  for (const LeaseKey& key : leases)
    given.push_back({{"campaign", key.campaign}, {"task", key.task}, {"fence", key.fence}});
  const Rows rows = connection_.call("SELECT * FROM warptune.heartbeat($1, $2)",
                                     {Parameter(node_id), json_parameter(given)});
  std::vector<LeaseState> states;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string_view state = rows.text(row, 0);
    states.push_back(state == "held"        ? LeaseState::kHeld
                     : state == "cancelled" ? LeaseState::kCancelled
                                            : LeaseState::kLost);
  }
  return states;
}

bool PostgresqlStore::finish(const std::string& node_id, const LeaseKey& lease, const TaskOutcome& outcome) {
  return connection_
      .call("SELECT warptune.finish($1, $2, $3, $4, $5, $6)",
            {Parameter(node_id), Parameter(lease.campaign), number(lease.task), number(lease.fence),
             Parameter(outcome.failed), fields_parameter(outcome)})
      .truth(0, 0);
}

void PostgresqlStore::give_back(const std::string& node_id, const LeaseKey& lease, AttemptEnd end,
                                const std::string& reason) {
  connection_.call("SELECT warptune.give_back($1, $2, $3, $4, $5, $6)",
                   {Parameter(node_id), Parameter(lease.campaign), number(lease.task), number(lease.fence),
                    Parameter(std::string(to_string(end))), Parameter(reason)});
}

// Rows
// ------------------------------------------------------------------------------------------------------

void PostgresqlStore::publish(const BatchName& name, std::string_view bytes) {
  connection_.call("SELECT warptune.publish($1, $2, $3, $4, $5, $6)",
                   {Parameter(name.lease.campaign), number(name.lease.task), number(name.lease.fence),
                    Parameter(name.node), number(name.sequence), Parameter::binary(bytes)});
}

BatchList PostgresqlStore::batches(const BatchFilter& filter, const std::string& cursor) {
  std::optional<std::string> task;
  if (filter.task) task = std::to_string(*filter.task);
  const Rows rows = connection_.call(
      "SELECT * FROM warptune.batches($1, $2, $3)",
      {Parameter(filter.campaign ? std::optional<std::string_view>(*filter.campaign) : std::nullopt),
       Parameter(task ? std::optional<std::string_view>(*task) : std::nullopt), Parameter(cursor)});
  BatchList list;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    list.cursor = rows.text(row, 0);
    if (rows.is_null(row, 1) || !are_names(address(), rows.text(row, 1), rows.text(row, 4))) continue;
    list.batches.push_back({{std::string(rows.text(row, 1)), rows.count(row, 2), rows.count(row, 3)},
                            std::string(rows.text(row, 4)),
                            rows.count(row, 5)});
  }
  return list;
}

std::string PostgresqlStore::batch(const BatchName& name) {
  const Rows rows = connection_.call("SELECT * FROM warptune.batch($1, $2, $3, $4, $5)",
                                     {Parameter(name.lease.campaign), number(name.lease.task),
                                      number(name.lease.fence), Parameter(name.node), number(name.sequence)},
                                     Format::kBinary);
  if (rows.size() == 0)
    throw base::InputError(
        fmt::format("{}: there is no batch {} of the node {} for task {} of the campaign '{}'", address(),
                    name.sequence, name.node, name.lease.task, name.lease.campaign));
  return std::string(rows.text(0, 0));
}

}  // namespace

std::unique_ptr<FleetStore> open_postgresql_store(const std::string& address, Access access) {
  Connection connection(address);
  require_schema(connection, this_schema());
  require_role(connection, access);
  return std::make_unique<PostgresqlStore>(std::move(connection), access);
}

std::unique_ptr<FleetStore> make_postgresql_store(const std::string& address) {
  Connection connection(address);
  make_schema(connection, this_schema());
  return std::make_unique<PostgresqlStore>(std::move(connection), Access::kAdministrator);
}

}  // namespace warptune::fleet::postgresql
