#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "db/totals.h"
#include "model/measurement.h"
#include "model/objective.h"
#include "model/recording.h"
#include "model/renaming.h"
#include "model/roof_reading.h"

namespace warptune::db::storage {
class Transaction;
}  // namespace warptune::db::storage
namespace warptune::db::claims {
class Claims;
}  // namespace warptune::db::claims
namespace warptune::db::codes {
class WorkloadCodes;
}  // namespace warptune::db::codes

namespace warptune::db {

struct Compaction;
struct ImportCounts;
struct PruneReport;
struct PruneRequest;
struct RowOwner;

/// A session as it is stored.
struct Session {
  std::int64_t id = 0;
  model::Workload workload;
  model::Environment environment;
  model::Roofs roofs;
  model::Work work;
  std::string strategy;
  std::uint64_t seed = 0;
  std::string budget;  ///< The text that the user gave: "200", "60s" or "".
  std::string objective = "time";
  model::RowSource source = model::RowSource::kMeasured;  ///< The source of its measurements.
  std::int64_t started_ms = 0;                            ///< Unix time.
  std::int64_t finished_ms = 0;  ///< Unix time; 0 while the session runs, or if it was interrupted.
  std::uint64_t space_size = 0;
  model::NamedValues default_configuration;
};

/// A measurement as it is stored, with its session.
struct StoredMeasurement {
  std::int64_t id = 0;
  std::int64_t session_id = 0;
  model::Measurement measurement;
  bool preferred = false;  ///< Chosen among rows that are equally fast; see `Store::set_preferred`.
};

/// The part of a measurement that a chart of a session's course needs.
struct MeasurementOutline {
  std::int64_t id = 0;
  /// kMeasured, kDropped, or kLaunchFailed for every other status.
  model::Status status = model::Status::kLaunchFailed;
  std::optional<double> median_ns;  ///< No value if it has no time.
  double spent_ms = 0.0;            ///< The time for compiling and measuring.
  std::int64_t time_stamp_ms = 0;   ///< Unix time when it finished.
};

/// A measured row and the value of each part of an objective (`model/objective.h`).
struct ObjectiveValues {
  std::int64_t id = 0;
  model::RowSource source = model::RowSource::kMeasured;
  std::vector<double> parts;
};

/// A measured row with the value of an objective.
struct RankedId {
  std::int64_t id = 0;
  model::RowSource source = model::RowSource::kMeasured;
  double value = 0.0;
};

/// Rows of a workload: all of them, or a sample if there are too many.
struct MeasurementSample {
  std::vector<StoredMeasurement> rows;  ///< The newest measurement of each configuration, by id.
  std::uint64_t known = 0;              ///< The number of configurations that have a measurement.

  bool is_whole() const { return rows.size() == known; }
};

/// The best measured configuration of a workload.
struct Winner {
  model::Workload workload;
  model::Measurement best;
  std::optional<model::Measurement> default_measurement;
  model::Environment environment;
  model::Work work;
  model::Roofs roofs;
  std::int64_t session_id = 0;
  bool of_system = false;                 ///< It comes from the system's database, not from the user's.
  std::uint64_t measured = 0;             ///< The number of measured configurations of the workload.
  std::uint64_t evaluated = 0;            ///< The number of all evaluations of the workload.
  std::optional<double> portable_loss{};  ///< `best` was chosen for several GPUs, and loses this share.
};

/// The state of a session's search. The strategy is restored from the text.
struct SearchState {
  std::int64_t session_id = 0;
  std::string text;
};

/// A row that does not fit its checksum or other rows, or cannot be read; or a problem of the whole file.
struct DamagedRow {
  std::string table;    ///< Empty if the problem concerns the whole file.
  std::int64_t id = 0;  ///< The row's id. 0 for a row of a table without ids (`roof`).
  std::string problem;
};

/// The database of all measurements: one SQLite file in WAL mode. Several processes can use the file at the
/// same time. One object must be used by one thread at a time. Every row has a checksum. A row that does not
/// fit its checksum is left out, as if it were not stored. The log reports the first such row.
class Store {
 public:
  /// Opens the file, or makes it, and migrates its schema. The usual path is
  /// `base::data_folder()/warptune.db`. Throws `base::MachineError` if the file cannot be opened or written.
  /// Throws `base::InputError` if the file is not a warptune database, or if a newer warptune wrote it (its
  /// `user_version`). In that case the file is not changed.
  explicit Store(const std::filesystem::path& path);
  /// Opens the file for reading only. Throws `base::InputError` if it is missing or empty.
  static Store open_existing(const std::filesystem::path& path);
  /// The same for a file that others keep. It is never written, and an earlier schema is refused.
  static Store open_shared(const std::filesystem::path& path);
  /// Whether the file at `path` has a database. Returns false if there is no file or an empty one; opening it
  /// for writing makes a database of both. Throws as the constructor does if the file cannot be a database.
  static bool exists(const std::filesystem::path& path);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// One transaction of writes. Without `commit`, the destructor rolls them back. Other writers wait.
  class Batch {
   public:
    explicit Batch(Store& store);
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    ~Batch();
    void commit();

   private:
    std::unique_ptr<storage::Transaction> transaction_;
  };

  /// Stores the session and returns its id.
  std::int64_t begin_session(const Session& session);
  /// Stores when the session ended. Functions that change a row throw `base::InternalError` if there is none.
  void finish_session(std::int64_t id, std::int64_t finished_ms);
  /// Stores the roofs with which the session's rates are compared, if they were not known when it began.
  void set_session_roofs(std::int64_t id, const model::Roofs& roofs);
  /// Stores a measurement and returns its id. It is committed on return, unless a batch is open. It does not
  /// replace an earlier one of its configuration and workload. Throws `base::MachineError` if another process
  /// has removed the session after rows were added to it.
  std::int64_t add_measurement(std::int64_t session_id, const model::Measurement& measurement);
  /// Replaces the counters of the measurement.
  void set_counters(std::int64_t measurement_id, const model::Counters& counters);
  /// Adds counters to those of the measurement. A counter that it already has gets the new value.
  void add_counters(std::int64_t measurement_id, const model::Counters& counters);
  /// Replaces the time and the samples by those of the finals. A dropped measurement becomes a measured one.
  void set_time(std::int64_t measurement_id, const model::TimeSummary& time,
                const std::vector<double>& samples_ns);
  /// Stores the state of a session's search in place of those of this and of earlier sessions with the same
  /// workload, strategy, seed and objective. An empty text only removes these states.
  void set_search_state(std::int64_t session_id, std::string_view text);
  /// The newest stored search with this workload, strategy, seed and objective, or std::nullopt.
  std::optional<SearchState> search_state(const model::Workload& workload, std::string_view strategy,
                                          std::uint64_t seed, std::string_view objective) const;

  /// Makes a row the preferred one of its workload, in place of any other. The preferred row is the winner as
  /// long as it is at most 1 % slower than the fastest row.
  void set_preferred(std::int64_t measurement_id);
  /// Marks an accepted measurement as failed. It gets the status and the reason of `rejection`.
  void reject(std::int64_t measurement_id, const model::Rejection& rejection);
  /// The newest measurement of each configuration of a workload (kernel hash, problem, GPU key, cache state).
  /// A replayed row is returned only if the configuration has no row that was measured on a GPU, and an
  /// imported row only if it has no other. The same holds for all functions below that return measurements of
  /// a workload.
  std::vector<StoredMeasurement> measurements(const model::Workload& workload) const {
    return measurements(workload, true);
  }
  /// The same rows without their counters. Reading the counters takes about half of the time.
  std::vector<StoredMeasurement> uncounted_measurements(const model::Workload& workload) const {
    return measurements(workload, false);
  }
  /// Returns all of `measurements` if there are at most `limit`. Otherwise it returns about `limit` rows: the
  /// fastest `limit / 10` rows, the preferred row, the row of the configuration `always`, and a pseudo-random
  /// choice from all rows. The choice is the same each time.
  MeasurementSample sampled_measurements(const model::Workload& workload, std::uint64_t limit,
                                         const model::NamedValues& always = {}) const;
  /// The newest measurement of one configuration.
  std::optional<StoredMeasurement> latest_measurement(const model::Workload& workload,
                                                      const model::NamedValues& configuration) const;
  /// The key of each configuration of a workload that has a time, by the id of its newest measurement. Equal
  /// configurations have equal keys in all databases. Checks no checksums.
  std::unordered_map<std::int64_t, std::string> configuration_keys(const model::Workload& workload) const;
  model::Counters counters(std::int64_t measurement_id) const;
  /// The GPUs of all sessions. The GPU of the newest session comes first, those of imports last. A GPU that
  /// was described in several ways is listed once for each description.
  std::vector<model::GpuDescription> gpus() const;
  std::vector<Session> sessions() const;
  /// The sessions of a workload, oldest first.
  std::vector<Session> sessions(const model::Workload& workload) const;
  /// The sessions of all problems of a workload's kernel version, GPU and cache state, oldest first. Only
  /// those whose budget contains `note`.
  std::vector<Session> noted_sessions(const model::Workload& workload, std::string_view note) const;
  /// The session that measured on a GPU with this key and began last, by the clocks of their machines.
  std::optional<Session> newest_measured_session(const std::string& gpu_key) const;
  std::optional<Session> session(std::int64_t id) const;
  std::vector<StoredMeasurement> session_measurements(std::int64_t session_id) const;
  /// An outline of the same rows, in the same order. This takes about a tenth of the time.
  std::vector<MeasurementOutline> session_outline(std::int64_t session_id) const;
  std::optional<StoredMeasurement> measurement(std::int64_t id) const;
  /// The rows of a session with this status.
  std::vector<StoredMeasurement> session_measurements(std::int64_t session_id, model::Status status) const;
  /// The `count` fastest rows of a session, fastest first. Dropped rows follow the measured ones, whatever
  /// their estimated times.
  std::vector<StoredMeasurement> fastest_of_session(std::int64_t session_id, std::size_t count) const;
  /// Counts a session's rows by status and reason, in the order of their first rows. Checks no checksums.
  std::vector<OutcomeCount> outcome_counts(std::int64_t session_id) const;
  /// The rows of `measurements` for which the objective has a value, ordered by id. Their checksums are not
  /// checked: read the rows that matter with `measurement`, which checks them.
  std::vector<ObjectiveValues> objective_values(const model::Workload& workload,
                                                const model::Objective& objective) const;
  /// The same rows ordered by the objective's value, best first. Replayed rows follow the measured ones, and
  /// imported rows follow both.
  std::vector<RankedId> ranked_ids(const model::Workload& workload, const model::Objective& objective) const;
  /// The ids of those rows of `measurements` that have a time and at least one of these counters. Checks no
  /// checksums.
  std::unordered_set<std::int64_t> ids_with_counters(const model::Workload& workload,
                                                     const std::vector<std::string>& metrics) const;
  /// All rows of a workload, not only the newest, that have a time and one of these counters. Oldest first.
  std::vector<StoredMeasurement> rows_with_counters(const model::Workload& workload,
                                                    const std::vector<std::string>& metrics) const;
  /// The whole row of a ranked id. Returns std::nullopt if the row is damaged, or no longer has this value.
  std::optional<StoredMeasurement> ranked_row(const RankedId& ranked,
                                              const model::Objective& objective) const;
  /// The winners of a kernel: for each workload the preferred configuration (`set_preferred`), or else the
  /// fastest. A replayed row wins only in a workload in which nothing was measured on a GPU, and an imported
  /// row only where nothing else has a time. An empty `kernel_hash` selects all versions of the kernel.
  std::vector<Winner> winners(const std::string& kernel, const std::string& kernel_hash) const;
  /// The winners by an objective: for each workload the measured configuration with the minimum value. A
  /// workload in which no row has a value has no winner.
  std::vector<Winner> winners(const std::string& kernel, const std::string& kernel_hash,
                              const model::Objective& objective) const;
  /// Stores the measured roofs of a GPU. They replace all earlier roofs of this GPU.
  void set_roofs(const model::GpuDescription& gpu, const std::vector<model::RoofReading>& readings);
  /// The roofs of a GPU, ordered by name. Empty if none were measured.
  std::vector<model::RoofReading> roofs(const model::GpuDescription& gpu) const;
  /// The hashes of all kernels that have stored rows.
  std::vector<std::string> kernel_hashes() const;
  /// Whether there are rows that `carry_over` would change.
  bool has_rows_to_carry(const std::vector<model::Renaming>& renamings) const;
  /// Carries the rows of earlier versions of kernels over to the present names, if both versions give the
  /// same machine code (docs/database.md, "Renamed kernels"), in one transaction. Returns how many.
  std::uint64_t carry_over(const std::vector<model::Renaming>& renamings);
  Totals totals() const;
  /// Copies the database to the new file `target`, also while other processes write. Throws, and makes no
  /// file, if `target` exists or the database is damaged (`base::InputError`) or the disk fails.
  void back_up(const std::filesystem::path& target) const;
  /// Adds the rows of another database, in one transaction (docs/database.md, "Merging"). Throws
  /// `base::InputError` if that file is missing, newer or damaged, or is this file. Nothing is changed then.
  MergeCounts merge(const std::filesystem::path& source);
  /// Throws as `merge` of a database at `target` does if `source` cannot be merged. `target` may be missing.
  static void require_mergeable(const std::filesystem::path& source, const std::filesystem::path& target);
  /// Adds the rows of a database that nobody vouches for as rows of their owner (`db/row_extract.h`).
  MergeCounts merge_owned(std::string_view database, const RowOwner& owner);
  /// Adds imported rows (`db/row_import.h`).
  ImportCounts import_rows(const model::Recording& recording, std::int64_t imported_ms);
  /// Removes rows, or only finds those that would be removed (`db/pruning.h`).
  PruneReport prune(const PruneRequest& request);
  /// Makes the file as small as its rows allow, also while other processes use it (`db/compaction.h`).
  Compaction compact();
  /// All workloads with intact sessions, in the order of their first sessions.
  std::vector<model::Workload> workloads() const;
  /// Verifies every row and the file itself, and returns what is damaged.
  std::vector<DamagedRow> damage() const;

 private:
  friend class claims::Claims;
  friend class codes::WorkloadCodes;
  struct Connection;
  std::vector<StoredMeasurement> measurements(const model::Workload& workload, bool with_counters) const;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace warptune::db
