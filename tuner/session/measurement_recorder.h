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

/// Writes one session of the database and tells a listener of each row: whoever measures, a search or named
/// configurations, measures through this. The references must outlive it.
class MeasurementRecorder {
 public:
  MeasurementRecorder(db::Store& store, SessionListener& listener) : store_(store), listener_(listener) {}

  /// Begins the session: what the evaluator knows (environment, roofs, roofs measured anew) is filled in.
  /// `declared`: what rows are compared with beside what follows from themselves.
  void begin(db::Session session, const evaluation::Evaluator& evaluator,
             profiling::verification::DeclaredWork declared = {});
  /// Nothing before `begin`.
  std::optional<std::int64_t> session_id() const { return session_id_; }

  /// Stores an evaluation and returns its row. First it is made fit to be stored: a time that ranks nothing
  /// (not finite, or not positive) becomes a failed launch, what cannot be is implausible, disturbed counters
  /// go, the time stamp is now.
  std::int64_t add(model::Measurement& measurement);
  /// Adds counters to a row stored before, whose measurement is given as it is known so far. It becomes
  /// implausible where they say that it cannot be.
  void add_counters(std::int64_t row_id, model::Measurement& measurement, const model::Counters& counters);
  /// Stores roofs that the evaluator has measured since the session began. To be called while it goes on and
  /// before it is finished.
  void note_roofs(const evaluation::Evaluator& evaluator);
  void warn(std::vector<std::string> warnings);
  /// Ends the session. One that was cancelled stays open in the database: the same request continues it.
  void finish(bool cancelled);

  db::Store& store() { return store_; }
  /// Knows the roofs as far as they are known by now.
  const profiling::verification::PlausibilityCheck& plausibility() const { return plausibility_; }
  /// What was told of `[work]`.
  const std::optional<profiling::verification::WorkDoubt>& work_doubt() const { return work_doubt_; }

 private:
  void look_for_doubt(const model::Measurement& measurement);

  db::Store& store_;
  SessionListener& listener_;
  std::optional<std::int64_t> session_id_;
  profiling::verification::PlausibilityCheck plausibility_;
  std::optional<profiling::verification::WorkDoubt> work_doubt_;
  std::optional<model::GpuDescription> unmeasured_;  ///< The session's GPU, until its roofs were measured.
};

/// Whether a measurement can rank: measured, with a finite and positive time.
bool has_usable_time(const model::Measurement& measurement);

}  // namespace warptune::tuner::session
