#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "tuner/session_events.h"

namespace warptune::tuner {

/// Shows a session to people on `stream`: one redrawn line with a bar on a terminal, else a plain line every
/// few seconds. Warnings go to the log.
class ProgressDisplay : public SessionListener {
 public:
  ProgressDisplay(std::FILE* stream, bool terminal, bool quiet)
      : stream_(stream), terminal_(terminal), quiet_(quiet) {}
  ~ProgressDisplay() override { clear_line(); }
  /// Nothing more comes: the line goes, so that something else can be printed.
  void finish() { clear_line(); }

  void on_event(const SessionEvent& event) override;

 private:
  void show(const SessionProgress& progress);
  void show(const ReplayedInstead& event);
  void show(const RecordingShownInstead& event);
  void show(const StoredShownInstead& event);
  void show(const FinalsBegan& event);
  void show(const ExperimentPartBegan& event);
  void show(const SessionWarning& event);
  void show(const MeasurementRejected& event);
  void show(const WorkDoubted& event);
  void show(const FinalistImprecise& event);
  template <class Other>
  void show(const Other&) {}

  void print(const std::string& line);
  void warn(const std::string& text);
  void clear_line();

  std::FILE* stream_;
  bool terminal_;
  bool quiet_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// The line itself, at most `width` characters where `width` is positive. Shows share done, evaluations,
/// rate, best, failures, time left.
std::string progress_line(const SessionProgress& progress, bool bar, std::size_t width);

}  // namespace warptune::tuner
