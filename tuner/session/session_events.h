#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "model/measurement.h"
#include "model/objective.h"
#include "profiling/timing/finalist_timing.h"
#include "profiling/verification/plausibility.h"

namespace warptune::tuner::session {

/// Where a running session stands.
struct SessionProgress {
  std::uint64_t evaluated = 0;  ///< In this session.
  std::uint64_t known = 0;      ///< From earlier sessions.
  std::uint64_t space_size = 0;
  double elapsed_s = 0.0;
  std::optional<double>
      fraction;  ///< Of the budget or of the space, whichever ends first; nothing when unknown.
  model::TimeSummary best_time;      ///< Of the best by the objective; NaN: none yet.
  std::optional<double> best_value;  ///< What the objective says of it.
  bool by_time = true;               ///< The objective is the time.
  model::NamedValues best;
  std::map<model::Status, std::uint64_t> by_status;  ///< Of this session.
};

/// There is no GPU, so a shipped recording answers instead.
struct ReplayedInstead {
  std::string reason;     ///< Why there is none.
  std::string recording;  ///< Its file's name.
};

/// There is no GPU, so a shipped recording is shown instead of a measurement.
struct RecordingShownInstead {
  std::string reason;     ///< Why there is none.
  std::string recording;  ///< Its file's name.
};

/// No GPU of the model is here, so what is stored is shown instead of a measurement.
struct StoredShownInstead {
  std::string gpu;
};

/// A session of the database has begun.
struct SessionBegan {
  std::int64_t session_id = 0;
  model::Workload workload;
};

/// An evaluation has ended and is stored. Its counters may follow.
struct MeasurementStored {
  std::int64_t row_id = 0;
  const model::Measurement& measurement;  ///< As stored; valid during the call.
};

/// The counters of a measurement that was stored before.
struct CountersStored {
  std::int64_t row_id = 0;
  const model::Counters& counters;  ///< All of the row; valid during the call.
};

/// A row that was stored as measured is not ranked after all, by what was counted later.
struct MeasurementRejected {
  std::int64_t row_id = 0;
  model::Rejection rejection;
};

/// A launch did less than the definition's `[work]` declares: one of them is wrong. Told once a session.
struct WorkDoubted {
  profiling::verification::WorkDoubt doubt;
};

/// One of the best is much farther from the reference than the others, though within the tolerance.
struct FinalistImprecise {
  model::NamedValues configuration;
  double error = 0.0;         ///< Its largest |x - r|.
  double median_error = 0.0;  ///< The median of the others' largest.

  /// For people.
  std::string message() const;
};

/// The best are timed once more, in interleaved rounds.
struct FinalsBegan {
  std::size_t finalists = 0;
  int rounds = 0;
};

/// The best of the final rounds was launched on new inputs, each launch verified, and its row says how often.
/// Where it does not stand, the next of the ranking follows.
struct BestConfirmed {
  std::int64_t row_id = 0;
  const profiling::timing::Confirmation& confirmation;  ///< Valid during the call.
};

/// The lab measures configurations of one kernel for an experiment.
struct ExperimentPartBegan {
  std::string experiment;
  std::string part;
  std::size_t number = 0;  ///< From 1.
  std::size_t parts = 0;
  std::size_t configurations = 0;
};

/// A line for people: something is less than was asked for, or strange.
struct SessionWarning {
  std::string text;
};

/// A session of the database has ended.
struct SessionEnded {
  std::int64_t session_id = 0;
  bool cancelled = false;
};

using SessionEvent =
    std::variant<ReplayedInstead, RecordingShownInstead, StoredShownInstead, SessionBegan, SessionProgress,
                 MeasurementStored, CountersStored, MeasurementRejected, WorkDoubted, FinalistImprecise,
                 FinalsBegan, BestConfirmed, ExperimentPartBegan, SessionWarning, SessionEnded>;

/// Is told what a session does, on the thread that runs it. What it throws ends the session.
class SessionListener {
 public:
  virtual ~SessionListener() = default;
  virtual void on_event(const SessionEvent& event) = 0;
};

/// Listens to nothing.
class SilentListener : public SessionListener {
 public:
  void on_event(const SessionEvent&) override {}
};

}  // namespace warptune::tuner::session
