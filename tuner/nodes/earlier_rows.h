// The batches of other attempts with which an attempt begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "db/row_extract.h"
#include "db/store.h"
#include "fleet/fleet_store.h"

namespace warptune::tuner::nodes {

/// Orders batches such that no attempt holds up others, however many batches it has. The tasks take turns,
/// and so do the attempts of each task: later attempts come first. Each turn gives the newest batch that is
/// left.
std::vector<fleet::BatchName> in_fair_order(const std::vector<fleet::BatchName>& batches);

/// How much an attempt reads at most.
struct EarlierRowLimits {
  std::size_t batches = 16384;   ///< From the same task. An attempt of eight hours has about 6,000.
  std::size_t transferred = 64;  ///< From other tasks.
  /// Both kinds have this limit. An attempt of eight hours has about 100 MB.
  std::uint64_t bytes = std::uint64_t{1} << 29;
};

/// Reads what other attempts have published, except rows of suspect nodes (`fleet/suspicion.h`). A batch that
/// is damaged, or has what its node may not publish, is named in the log and left out. If there is more than
/// `EarlierRowLimits` allows, the batches are taken in a fair order, and the log says how many are left out.
class EarlierRows {
 public:
  EarlierRows(fleet::FleetStore& store, const fleet::Lease& lease, std::string own_node,
              EarlierRowLimits limits = {})
      : store_(store), lease_(lease), own_node_(std::move(own_node)), limits_(limits) {}

  /// Reads the batches of earlier attempts of the task and, with `transfer`, those of other tasks of the same
  /// kernel. Throws `base::MachineError` if the store is away, and `base::InputError` if it does not have the
  /// campaign any more.
  void fetch(bool transfer);
  /// Adds the rows of the same task to a database. Their bytes are released.
  void merge_own(db::Store& database) { merge(database, own_); }
  /// The same for the rows of other tasks.
  void merge_others(db::Store& database) { merge(database, others_); }

 private:
  struct Fetched {
    fleet::BatchName name;
    std::string bytes;
    db::RowOwner owner;
  };

  std::vector<fleet::BatchName> names_of(const fleet::BatchFilter& filter);
  std::vector<Fetched> fetched(const std::vector<fleet::BatchName>& names, const fleet::Campaign& campaign,
                               std::size_t max_batches);
  static void merge(db::Store& database, std::vector<Fetched>& batches);

  fleet::FleetStore& store_;
  const fleet::Lease& lease_;
  std::string own_node_;
  EarlierRowLimits limits_;
  std::string campaign_identity_;
  std::vector<Fetched> own_;     // From the same task.
  std::vector<Fetched> others_;  // From other tasks.
};

}  // namespace warptune::tuner::nodes
