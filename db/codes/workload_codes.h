#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/measurement.h"

namespace warptune::db {

class Store;

}  // namespace warptune::db

namespace warptune::db::codes {

/// The measurements of a workload that were given to another version of its kernel.
struct CarriedRows {
  std::uint64_t measurements = 0;
  std::uint64_t removed = 0;  ///< Measurements of configurations that failed.
};

/// The codes of a database's workloads. The store must outlive this object.
class WorkloadCodes {
 public:
  explicit WorkloadCodes(Store& store) : store_(store) {}

  /// Replaces what is known of a workload's code. Throws `base::InternalError` if the database has no such
  /// workload.
  void set(const model::Workload& workload, const model::WorkloadCode& code);
  /// Returns std::nullopt if nothing is known of the code, or if the row does not fit its checksum.
  std::optional<model::WorkloadCode> find(const model::Workload& workload) const;
  /// Whether the code of a workload of another version of the kernel is known.
  bool knows_other_versions(const std::string& kernel, const std::string& hash) const;
  /// Gives the rows of a workload, with their code, to another version of its kernel, in one transaction.
  /// The caller has shown that both versions have the same space and the same code. Rows of configurations
  /// that failed are removed: the new text may have mended what the reference configurations do not show. The
  /// deletions are recorded, so that a merge does not bring them back. Returns std::nullopt, and changes
  /// nothing, if a session may be writing to the workload.
  std::optional<CarriedRows> carry_over(const model::Workload& earlier, const std::string& present_hash);

 private:
  Store& store_;
};

}  // namespace warptune::db::codes
