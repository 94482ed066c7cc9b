// A campaign that nodes run from recordings, and what a store must have when it is done.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "db/store.h"
#include "fleet/fleet_store.h"
#include "tests/temporary_folder.h"
#include "tuner/campaigns/campaign_file.h"

namespace warptune::tuner::testing {

/// Configurations by workload.
using RowSet = std::map<std::string, std::set<std::string>>;

/// What a store had in the end.
struct CampaignCounts {
  std::size_t attempts = 0;
  std::size_t lost = 0;  ///< Attempts that the store ended, or that a restarted node gave up.
  std::size_t superseded = 0;
  std::size_t batches = 0;
  std::size_t rows = 0;            ///< Rows of all sessions together.
  std::size_t measured_again = 0;  ///< Rows of configurations that an earlier attempt measured, too.
};

/// The campaign `c` with one task for each size of the toy kernel. Each task evaluates all configurations.
/// The definition is signed, because nodes need that with a database. Files lie in memory where that is
/// possible, so that a slow disk does not decide how long a test takes.
class ReplayedCampaign {
 public:
  /// Each task has `2 * a_values` configurations, and each of them takes `measure_ms` at pace 1.
  ReplayedCampaign(int tasks, int a_values, double measure_ms);

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::string recordings() const { return (folder_ / "recordings").string(); }
  std::string signers() const { return (folder_ / "allowed_signers").string(); }
  void add_to(fleet::FleetStore& store) const;

  /// The rows after one node has run the campaign alone, with a spool.
  const RowSet& rows_in_sequence();
  /// Expects that each task was closed by exactly one report, that the store's rows are those of
  /// `rows_in_sequence`, and that merging all batches again adds none.
  CampaignCounts expect_complete(fleet::FleetStore& store);

 private:
  RowSet run_in_sequence() const;
  std::filesystem::path joined(fleet::FleetStore& store) const;
  static void count_rows(const db::Store& joined, CampaignCounts& counts);
  static void merge_again(fleet::FleetStore& store, db::Store& joined, CampaignCounts& counts);

  tests::TemporaryFolder folder_;
  campaigns::CampaignFile campaign_;
  RowSet in_sequence_;
};

}  // namespace warptune::tuner::testing
