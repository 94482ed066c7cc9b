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

/// The progress of a running session.
struct SessionProgress {
  std::uint64_t evaluated = 0;  ///< Evaluations of this session.
  std::uint64_t known = 0;      ///< Results known from other sessions.
  std::uint64_t shared = 0;     ///< Those of `known` that sessions stored while this one ran.
  std::uint64_t space_size = 0;
  double elapsed_s = 0.0;
  /// The finished share of the budget or of the space, whichever is larger; std::nullopt if it is unknown.
  std::optional<double> fraction;
  std::optional<model::TimeSummary> best_time;  ///< The time of the best by the objective, if there is one.
  std::optional<double> best_value;             ///< The objective of the best.
  bool by_time = true;                          ///< The objective is the time.
  model::NamedValues best;
  /// How many evaluations of this session ended with each status.
  std::map<model::Status, std::uint64_t> by_status;
};

/// There is no GPU, so the session takes its measurements from a shipped recording.
struct ReplayedInstead {
  std::string reason;     ///< Why there is no GPU.
  std::string recording;  ///< The recording's file name.
};

/// There is no GPU, so a command that would measure shows the rows of a shipped recording instead.
struct RecordingShownInstead {
  std::string reason;     ///< Why there is no GPU.
  std::string recording;  ///< The recording's file name.
};

/// This machine has no GPU of the model `gpu`, so stored measurements are shown instead.
struct StoredShownInstead {
  std::string gpu;
};

/// The report of the sessions is served to browsers on this machine while they run.
struct ReportServed {
  std::string address;
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

/// The counters of a stored measurement have arrived.
struct CountersStored {
  std::int64_t row_id = 0;
  const model::Counters& counters;  ///< All counters of the row; valid during the call.
};

/// A row that was stored as measured is withdrawn from the ranking, because its counters contradict it.
struct MeasurementRejected {
  std::int64_t row_id = 0;
  model::Rejection rejection;
};

/// A launch did less work than the definition's `[work]` declares. One of the two is wrong. Reported once a
/// session.
struct WorkDoubted {
  profiling::verification::WorkContradiction doubt;
};

/// The outputs of a finalist differ much more from the reference than those of the others, but stay within
/// the tolerance.
struct FinalistImprecise {
  model::NamedValues configuration;
  double error = 0.0;         ///< The largest |x - r| of an output element x and its reference r.
  double median_error = 0.0;  ///< The median of the other finalists' largest errors.

  /// The message for people.
  std::string message() const;
};

/// The final rounds begin: the best configurations are timed once more, interleaved.
struct FinalsBegan {
  std::size_t finalists = 0;
  int rounds = 0;
};

/// The best of the final rounds was launched on new inputs, and each launch was verified. Its row stores the
/// number of launches. If it failed, the next of the ranking is launched in the same way.
struct BestConfirmed {
  std::int64_t row_id = 0;
  const profiling::timing::Confirmation& confirmation;  ///< Valid during the call.
};

/// The lab measures configurations of one kernel for an experiment.
struct ExperimentPartBegan {
  std::string experiment;
  std::string part;
  std::size_t number = 0;  ///< The part's position in the experiment, from 1.
  std::size_t parts = 0;
  std::size_t configurations = 0;
};

/// A line for people: a request was fulfilled only in part, or something looks strange.
struct SessionWarning {
  std::string text;
};

/// A session of the database has ended.
struct SessionEnded {
  std::int64_t session_id = 0;
  bool cancelled = false;
};

using SessionEvent = std::variant<ReplayedInstead, RecordingShownInstead, StoredShownInstead, ReportServed,
                                  SessionBegan, SessionProgress, MeasurementStored, CountersStored,
                                  MeasurementRejected, WorkDoubted, FinalistImprecise, FinalsBegan,
                                  BestConfirmed, ExperimentPartBegan, SessionWarning, SessionEnded>;

/// Receives the events of a session, on the thread that runs it. An exception from it ends the session.
class SessionListener {
 public:
  virtual ~SessionListener() = default;
  virtual void on_event(const SessionEvent& event) = 0;
};

/// A listener that ignores all events.
class SilentListener : public SessionListener {
 public:
  void on_event(const SessionEvent&) override {}
};

}  // namespace warptune::tuner::session
