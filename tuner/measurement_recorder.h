#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "tuner/evaluator.h"
#include "tuner/session_events.h"

namespace warptune::tuner {

/// Writes one session of the database and tells a listener of each row: whoever measures, a search or named
/// configurations, measures through this. The references must outlive it.
class MeasurementRecorder {
 public:
  MeasurementRecorder(db::Store& store, SessionListener& listener) : store_(store), listener_(listener) {}

  /// Begins the session: what the evaluator knows (environment, roofs, roofs measured anew) is filled in.
  void begin(db::Session session, const Evaluator& evaluator);
  /// Nothing before `begin`.
  std::optional<std::int64_t> session_id() const { return session_id_; }

  /// Stores an evaluation and returns its row. First it is made fit to be stored: a time that ranks nothing
  /// (not finite, or not positive) becomes a failed launch, disturbed counters go, the time stamp is now.
  std::int64_t add(search::Measurement& measurement);
  /// Adds counters to a row stored before, whose measurement is given as it is known so far.
  void add_counters(std::int64_t row_id, search::Measurement& measurement, const search::Counters& counters);
  /// Stores roofs that the evaluator has measured since the session began. To be called while it goes on and
  /// before it is finished.
  void note_roofs(const Evaluator& evaluator);
  void warn(std::vector<std::string> warnings);
  /// Ends the session. One that was cancelled stays open in the database: the same request continues it.
  void finish(bool cancelled);

  db::Store& store() { return store_; }

 private:
  db::Store& store_;
  SessionListener& listener_;
  std::optional<std::int64_t> session_id_;
  std::optional<search::GpuDescription> unmeasured_;  ///< The session's GPU, until its roofs were measured.
};

/// Whether a measurement can rank: measured, with a finite and positive time.
bool has_usable_time(const search::Measurement& measurement);

}  // namespace warptune::tuner
