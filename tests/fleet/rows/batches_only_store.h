// A store in memory that has nodes, batches and campaigns, and refuses everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "fleet/fleet_store.h"

namespace warptune::fleet::rows {

class BatchesOnlyStore : public FleetStore {
 public:
  std::vector<NodeRecord> known;
  std::vector<CampaignSummary> summaries;
  Campaign content;      ///< Every campaign has this content.
  std::string missing;   ///< Except for this one, which was removed meanwhile.
  int reads = 0;         ///< How many batches were read.
  int failing_read = 0;  ///< The read with this number fails, counted from 1.

  const std::string& address() const override { return address_; }
  std::int64_t now_ms() override { refuse(); }
  void add_campaign(const Campaign&) override { refuse(); }
  std::vector<CampaignSummary> campaigns() override { return summaries; }
  Campaign campaign(const std::string& name) override {
    if (name == missing) throw base::InputError("there is no campaign " + name);
    return content;
  }
  std::vector<TaskRecord> tasks(const std::string&) override { refuse(); }
  std::uint64_t cancel(const std::string&) override { refuse(); }
  std::uint64_t retry(const std::string&) override { refuse(); }
  RemovedCampaign remove(const std::string&, bool) override { refuse(); }
  std::string put_file(std::string_view) override { refuse(); }
  std::optional<std::string> file(const std::string&) override { refuse(); }
  void enter_node(const Node&) override { refuse(); }
  void leave_node(const std::string&) override { refuse(); }
  std::vector<NodeRecord> nodes() override { return known; }
  void accept_node(const std::string&) override { refuse(); }
  void set_refusals(const std::string&, const std::vector<Refusal>&) override { refuse(); }
  std::vector<OpenClass> open_classes() override { refuse(); }
  std::optional<Lease> lease(const std::string&, const std::vector<ClassKey>&,
                             const std::set<TaskKey>&) override {
    refuse();
  }
  std::vector<LeaseState> heartbeat(const std::string&, const std::vector<LeaseKey>&) override { refuse(); }
  bool finish(const std::string&, const LeaseKey&, const TaskOutcome&) override { refuse(); }
  void give_back(const std::string&, const LeaseKey&, AttemptEnd, const std::string&) override { refuse(); }

  void publish(const BatchName& name, std::string_view bytes) override {
    names_.push_back(name);
    bytes_.emplace(name, bytes);
  }
  /// Puts other bytes in the place of a batch, as if its file was repaired.
  void replace(const BatchName& name, const std::string& bytes) { bytes_[name] = bytes; }
  BatchList batches(const BatchFilter& filter, const std::string& cursor) override {
    // The length of the cursor is the number of batches before it.
    BatchList list{{}, std::string(names_.size(), '.')};
    for (std::size_t i = cursor.size(); i < names_.size(); ++i)
      if (!filter.campaign || names_[i].lease.campaign == *filter.campaign) list.batches.push_back(names_[i]);
    return list;
  }
  std::string batch(const BatchName& name) override {
    if (++reads == failing_read) throw base::MachineError("the store is away", "wait");
    return bytes_.at(name);
  }

 private:
  [[noreturn]] static void refuse() { throw base::InternalError("this test needs only nodes and batches"); }

  std::string address_ = "memory";
  std::vector<BatchName> names_;
  std::map<BatchName, std::string> bytes_;
};

}  // namespace warptune::fleet::rows
