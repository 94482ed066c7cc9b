#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "tuner/session/session_events.h"

namespace warptune::tuner::text_output {

/// Shows the progress of a session on `stream`. On a terminal it redraws one line with a bar. Otherwise it
/// prints a plain line every few seconds. Warnings go to the log. The destructor removes the line.
class ProgressDisplay : public session::SessionListener {
 public:
  ProgressDisplay(std::FILE* stream, bool terminal, bool quiet)
      : stream_(stream), terminal_(terminal), quiet_(quiet) {}
  ~ProgressDisplay() override { clear_line(); }

  void on_event(const session::SessionEvent& event) override;

 private:
  void show(const session::SessionProgress& progress);
  void show(const session::ReplayedInstead& event);
  void show(const session::RecordingShownInstead& event);
  void show(const session::StoredShownInstead& event);
  void show(const session::ReportServed& event);
  void show(const session::FinalsBegan& event);
  void show(const session::ExperimentPartBegan& event);
  void show(const session::SessionWarning& event);
  void show(const session::MeasurementRejected& event);
  void show(const session::WorkDoubted& event);
  void show(const session::FinalistImprecise& event);
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

/// Shows how many of equal steps are done, and how long the rest will take: on a terminal one line that is
/// redrawn, otherwise a plain line every few seconds. The destructor removes the line.
class StepProgress {
 public:
  /// `step` names one step: `run`.
  StepProgress(std::FILE* stream, bool terminal, std::string step)
      : stream_(stream), terminal_(terminal), step_(std::move(step)) {}
  ~StepProgress();
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

  void show(std::uint64_t done, std::uint64_t all);

 private:
  std::FILE* stream_;
  bool terminal_;
  std::string step_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = began_;
  bool drawn_ = false;
};

/// `12 of 60 runs | 20% | 45 s left`. Before the first step is done, the remaining time is unknown and left
/// out.
std::string steps_line(std::uint64_t done, std::uint64_t all, const std::string& step, double elapsed_s);

/// The text of the line, at most `width` characters; a width of 0 sets no limit. It shows the completed
/// share, evaluations, rate, best, failures and the remaining time.
std::string progress_line(const session::SessionProgress& progress, bool bar, std::size_t width);

}  // namespace warptune::tuner::text_output
