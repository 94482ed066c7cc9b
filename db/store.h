#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurement.h"
#include "model/objective.h"
#include "model/recording.h"
#include "model/renaming.h"
#include "model/roof_reading.h"

namespace warptune::db::storage {
class Transaction;
}  // namespace warptune::db::storage

namespace warptune::db {

/// A session as stored.
struct Session {
  std::int64_t id = 0;
  model::Workload workload;
  model::Environment environment;
  model::Roofs roofs;
  model::Work work;
  std::string strategy;
  std::uint64_t seed = 0;
  std::string budget;  ///< As asked: "200", "60s", "".
  std::string objective = "time";
  bool replayed = false;  ///< Its measurements came from a recording.
  std::int64_t started_ms = 0;
  std::int64_t finished_ms = 0;  ///< 0 while running or interrupted.
  std::uint64_t space_size = 0;
  model::NamedValues default_configuration;
};

/// A measurement as stored, with where it came from.
struct StoredMeasurement {
  std::int64_t id = 0;
  std::int64_t session_id = 0;
  model::Measurement measurement;
  bool preferred = false;  ///< Chosen among those as fast; see `Store::set_preferred`.
};

/// What a session's course is drawn from.
struct MeasurementOutline {
  std::int64_t id = 0;
  model::Status status = model::Status::kLaunchFailed;  ///< Measured, dropped, or this for all others.
  double median_ns = 0.0;                               ///< NaN where it has none.
  double spent_ms = 0.0;                                ///< Compiling and measuring.
  std::int64_t time_stamp_ms = 0;                       ///< Unix time when it finished.
};

/// Rows of a workload, not all where it has very many.
struct MeasurementSample {
  std::vector<StoredMeasurement> rows;  ///< The newest measurement of each configuration, by id.
  std::uint64_t known = 0;              ///< As many configurations have one.

  bool is_whole() const { return rows.size() == known; }
};

/// A configuration proven best for a workload.
struct Winner {
  model::Workload workload;
  model::Measurement best;
  std::optional<model::Measurement> default_measurement;
  model::Environment environment;
  model::Work work;
  model::Roofs roofs;
  std::int64_t session_id = 0;
  std::uint64_t measured = 0;   ///< Measured configurations of the workload.
  std::uint64_t evaluated = 0;  ///< All evaluations of the workload.
};

/// The search of a session, as text that its strategy is restored from.
struct SearchState {
  std::int64_t session_id = 0;
  std::string text;
};

/// What does not fit its checksum, or cannot be read.
struct DamagedRow {
  std::string table;    ///< `measurement` or `session`; empty: of the whole file.
  std::int64_t id = 0;  ///< Of the row.
  std::string problem;
};

/// Number of stored things, for `db info`.
struct Totals {
  std::uint64_t kernels = 0, gpus = 0, workloads = 0, sessions = 0, measurements = 0;
  int schema_version = 0;
};

/// The database of all measurements: SQLite in WAL mode, one file. Safe among processes.
///
/// Rows have checksums. What does not fit its own is left out of all that is read here, as if it was not
/// stored, and the log says so.
class Store {
 public:
  /// Opens or makes the file and migrates its schema. `base::data_folder()/warptune.db` is the usual path.
  /// Throws `base::MachineError` when it cannot be opened or written, `base::InputError` when the file is no
  /// warptune database or was written by a newer warptune (its `user_version`), leaving it untouched.
  explicit Store(const std::filesystem::path& path);
  /// Opens for reading only; a missing or empty file is `base::InputError` saying to run `warptune tune`
  /// first.
  static Store open_existing(const std::filesystem::path& path);
  /// Whether a database stands at a path: false where there is no file or an empty one, of which opening
  /// makes one. Throws as opening does for what cannot be one.
  static bool exists(const std::filesystem::path& path);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// What is stored while one lives is committed together, or rolled back where `commit` was not reached.
  /// Other processes wait for its end.
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
  void finish_session(std::int64_t id, std::int64_t finished_ms);
  /// What the session's efficiencies refer to, where it was not known when the session began.
  void set_session_roofs(std::int64_t id, const model::Roofs& roofs);
  /// Committed on return, unless in a batch. A later measurement of the same configuration and workload
  /// stands beside the earlier.
  std::int64_t add_measurement(std::int64_t session_id, const model::Measurement& measurement);
  void set_counters(std::int64_t measurement_id, const model::Counters& counters);
  /// Beside those that the measurement has; of the same name the new one stays.
  void add_counters(std::int64_t measurement_id, const model::Counters& counters);
  /// Replaces time and samples (the final, interleaved ones). What was dropped counts as measured from then
  /// on.
  void set_time(std::int64_t measurement_id, const model::TimeSummary& time,
                const std::vector<double>& samples_ns);

  /// Stores the search of a session, in place of any that it or an earlier session of the same workload,
  /// strategy, seed and objective has; an empty text stores none.
  void set_search_state(std::int64_t session_id, std::string_view text);
  /// The newest stored of such sessions, or nothing.
  std::optional<SearchState> search_state(const model::Workload& workload, std::string_view strategy,
                                          std::uint64_t seed, std::string_view objective) const;

  /// Makes a row its workload's choice among those as fast, in place of any other: it is the winner as long
  /// as it is at most 1 % slower than the fastest.
  void set_preferred(std::int64_t measurement_id);
  /// A measurement that was taken for right is not: its status and reason become those of `rejection`.
  void reject(std::int64_t measurement_id, const model::Rejection& rejection);

  /// The newest measurement of each configuration of a workload (kernel hash, problem, GPU key, cache state).
  std::vector<StoredMeasurement> measurements(const model::Workload& workload) const {
    return measurements(workload, true);
  }
  /// The same without their counters, which take about half of the time.
  std::vector<StoredMeasurement> uncounted_measurements(const model::Workload& workload) const {
    return measurements(workload, false);
  }
  /// `measurements`, where there are more than `limit` about so many: the fastest tenth of `limit`, what is
  /// preferred, the configuration `always` and of all an even share, the same each time.
  MeasurementSample sampled_measurements(const model::Workload& workload, std::uint64_t limit,
                                         const model::NamedValues& always = {}) const;
  /// The newest of one configuration.
  std::optional<StoredMeasurement> latest_measurement(const model::Workload& workload,
                                                      const model::NamedValues& configuration) const;
  model::Counters counters(std::int64_t measurement_id) const;
  /// The GPUs of all sessions, that of the newest first; one that was described in several ways has several.
  std::vector<model::GpuDescription> gpus() const;
  std::vector<Session> sessions() const;
  /// Those of a workload, oldest first.
  std::vector<Session> sessions(const model::Workload& workload) const;
  std::optional<Session> session(std::int64_t id) const;
  std::vector<StoredMeasurement> session_measurements(std::int64_t session_id) const;
  /// The same rows in the same order at a tenth of the time.
  std::vector<MeasurementOutline> session_outline(std::int64_t session_id) const;
  std::optional<StoredMeasurement> measurement(std::int64_t id) const;
  /// Winners of a kernel: the preferred or else the fastest measured configuration of each workload. By name,
  /// and by hash unless empty.
  std::vector<Winner> winners(const std::string& kernel, const std::string& kernel_hash) const;
  /// The same by an objective: of each workload the measured configuration with its least value; none where
  /// nothing can be rated.
  std::vector<Winner> winners(const std::string& kernel, const std::string& kernel_hash,
                              const model::Objective& objective) const;

  /// Stores what was measured of a GPU, in place of all that was stored of it.
  void set_roofs(const model::GpuDescription& gpu, const std::vector<model::RoofReading>& readings);
  /// By name; empty when nothing was measured of that GPU.
  std::vector<model::RoofReading> roofs(const model::GpuDescription& gpu) const;
  /// Of all kernels of which something is stored.
  std::vector<std::string> kernel_hashes() const;
  /// Whether `carry_over` would find something to carry.
  bool has_rows_to_carry(const std::vector<model::Renaming>& renamings) const;
  /// Gives the rows of earlier versions of kernels their present names, where both are the same machine code
  /// (docs/database.md, "Renamed kernels"): in one transaction. A row that fits its checksum gets a new one.
  /// Returns how many measurements were carried.
  std::uint64_t carry_over(const std::vector<model::Renaming>& renamings);
  Totals totals() const;
  /// Looks at every row; empty where all is well.
  std::vector<DamagedRow> damage() const;

 private:
  struct Connection;
  std::vector<StoredMeasurement> measurements(const model::Workload& workload, bool with_counters) const;
  explicit Store(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace warptune::db
