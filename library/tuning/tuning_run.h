#pragma once

#include <cstdint>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cancellation.h"
#include "library/include/warptune_tuning.h"
#include "library/open_library.h"
#include "library/tuning/program_data.h"
#include "library/tuning/tuning_events.h"
#include "tuner/session/tuning.h"

namespace warptune::library::tuning {

/// What a tuning has found.
struct TuningResult {
  bool cancelled = false;
  bool replayed = false;
  std::uint64_t evaluated = 0;
  std::uint64_t wrong = 0;
  std::optional<double> median_ns;
  std::optional<double> default_median_ns;
  std::string configuration;
  std::string gpu;
  std::int64_t session = 0;
};

/// A tuning on a thread of its own. The destructor cancels it and waits for its end. `next` is for one thread
/// at a time, the other functions for any.
class TuningRun {
 public:
  /// Starts it, and waits until its kernel is read and its GPU is known. Throws as `tuner::session::Tuning`
  /// does, `base::InputError` for wrong options, and `base::MachineError` if there is no program for workers.
  TuningRun(const OpenLibrary& library, const warptune_tuning_options& options);
  ~TuningRun();
  TuningRun(const TuningRun&) = delete;
  TuningRun& operator=(const TuningRun&) = delete;

  /// See `TuningEvents::next`. The event stays valid until the next call.
  const TuningEvent& next(double timeout_s) { return event_ = events_.next(timeout_s); }
  void cancel() noexcept { cancellation_.cancel(); }
  /// Waits for the end. Returns what was found, and fills in `failure` with why the tuning has failed.
  const TuningResult& finish(std::exception_ptr& failure);

 private:
  void run(std::promise<void>& ready, const std::string& program, const std::vector<std::string>& environment,
           bool in_this_process) noexcept;
  void note(const tuner::session::TuningOutcome& outcome);

  tuner::session::TuningRequest request_;
  ProgramData data_;
  TuningEvents events_;
  TuningEvent event_;
  base::Cancellation cancellation_;
  TuningResult result_;
  std::exception_ptr failure_;
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace warptune::library::tuning
