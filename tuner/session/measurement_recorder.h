#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "profiling/verification/plausibility.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/session_events.h"

namespace warptune::tuner::session {

/// Writes one session into the database and informs a listener of each row. A search and a
/// `ConfigurationRunner` both store their measurements through it. The references must outlive this object.
class MeasurementRecorder {
 public:
  MeasurementRecorder(db::Store& store, SessionListener& listener) : store_(store), listener_(listener) {}

  /// Begins the session. Its row gets the evaluator's environment and roofs. If the evaluator has already
  /// measured roofs, they are also stored as the GPU's (`note_roofs`). `declared` is the work of the
  /// definition's `[work]`: the first row that contradicts it is reported.
  void begin(db::Session session, const evaluation::Evaluator& evaluator,
             profiling::verification::DeclaredWork declared = {});
  /// The session's id. Returns std::nullopt before `begin`.
  std::optional<std::int64_t> session_id() const { return session_id_; }

  /// Stores an evaluation and returns the id of its row. Corrects `measurement` first. A time that is not
  /// finite and positive becomes a failed launch. A result that cannot be true, such as a time below what the
  /// roofs allow, becomes implausible. Disturbed counters are removed. The time stamp is set to now. A row of
  /// a replayed session is marked as replayed.
  std::int64_t add(model::Measurement& measurement);
  /// Adds counters to a stored row. `measurement` is the row without them. Its status becomes implausible if
  /// the counters contradict it.
  void add_counters(std::int64_t row_id, model::Measurement& measurement, const model::Counters& counters);
  /// Stores the roofs that the evaluator has measured since the session began. Call it between `begin` and
  /// `finish`.
  void note_roofs(const evaluation::Evaluator& evaluator);
  /// Reports each warning to the listener.
  void warn(std::vector<std::string> warnings);
  /// Ends the session. A cancelled session stays open in the database, and a later session of the same
  /// request continues it.
  void finish(bool cancelled);

  db::Store& store() { return store_; }
  /// The check of plausibility, with the roofs that are known so far.
  const profiling::verification::PlausibilityCheck& plausibility() const { return plausibility_; }
  /// How the first row that contradicts `[work]` does so, as reported to the listener. Empty if no row does.
  const std::optional<profiling::verification::WorkContradiction>& work_doubt() const { return work_doubt_; }

 private:
  void report_work_doubt(const model::Measurement& measurement);

  model::RowSource source_ = model::RowSource::kMeasured;
  db::Store& store_;
  SessionListener& listener_;
  std::optional<std::int64_t> session_id_;
  profiling::verification::PlausibilityCheck plausibility_;
  std::optional<profiling::verification::WorkContradiction> work_doubt_;
  std::optional<model::GpuDescription> unmeasured_gpu_;  ///< The session's GPU, until its roofs are measured.
};

/// Whether a measurement can be ranked: it has the status measured and a finite, positive time.
bool is_rankable(const model::Measurement& measurement);

}  // namespace warptune::tuner::session
