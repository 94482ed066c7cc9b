// A store of campaigns in a folder that all machines share. docs/fleet-store.md has the layout and the rules.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/fleet_store.h"
#include "fleet/spool/campaign_folder.h"
#include "fleet/spool/folder.h"
#include "fleet/spool/removal.h"

namespace warptune::fleet::spool {

/// Opens the spool of a folder. Throws as `open_store` does.
std::unique_ptr<FleetStore> open_spool_store(const std::filesystem::path& folder, Access access);
/// Makes a spool in a folder that is missing or empty, or completes one. Throws as `make_store` does.
std::unique_ptr<FleetStore> make_spool_store(const std::filesystem::path& folder);

class SpoolStore : public FleetStore {
 public:
  SpoolStore(std::filesystem::path folder, Access access);

  const std::string& address() const override { return address_; }
  std::int64_t now_ms() override;
  bool is_private() override;
  void add_campaign(const Campaign& campaign) override;
  std::vector<CampaignSummary> campaigns() override;
  Campaign campaign(const std::string& name) override;
  std::vector<TaskRecord> tasks(const std::string& campaign) override;
  std::uint64_t cancel(const std::string& campaign) override;
  std::uint64_t retry(const std::string& campaign) override;
  RemovedCampaign remove(const std::string& campaign, bool force) override {
    require_administrator();
    const std::int64_t now = now_ms();
    const RemovedCampaign removed = remove_campaign(root(), require_campaign(campaign), force, now);
    campaigns_.erase(campaign);
    return removed;
  }
  std::string put_file(std::string_view bytes) override;
  std::optional<std::string> file(const std::string& digest) override;
  void enter_node(const Node& node) override;
  void leave_node(const std::string& node_id) override;
  std::vector<NodeRecord> nodes() override;
  void accept_node(const std::string& node_id) override;
  void set_refusals(const std::string& node_id, const std::vector<Refusal>& refusals) override;
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
  Folder root() const;
  void require_administrator() const;
  void require_writer() const;
  CampaignFolder* find_campaign(const std::string& name);
  CampaignFolder& require_campaign(const std::string& name);
  std::vector<std::string> campaign_names() const;

  std::filesystem::path folder_;
  Access access_;
  std::string address_;
  std::map<std::string, CampaignFolder> campaigns_;  ///< Those that this connection has used.
};

}  // namespace warptune::fleet::spool
