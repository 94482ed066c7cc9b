#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "tuner/tuning_session.h"

namespace warptune::tuner {

/// Shows a session to people on `stream`: one redrawn line with a bar on a terminal, else a plain line every
/// few seconds.
class ProgressDisplay : public SessionObserver {
 public:
  ProgressDisplay(std::FILE* stream, bool terminal, bool quiet)
      : stream_(stream), terminal_(terminal), quiet_(quiet) {}
  ~ProgressDisplay() override { clear_line(); }

  void progress(const SessionProgress& progress) override;
  void phase(const std::string& text) override;
  void warning(const std::string& text) override;

 private:
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
