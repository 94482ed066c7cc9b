#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "tuner/session/session_events.h"

namespace warptune::library::tuning {

/// An event of a tuning, with everything that `warptune_tuning_event` has.
struct TuningEvent {
  std::int32_t kind = 0;  ///< WARPTUNE_EVENT_...
  std::uint64_t evaluated = 0;
  double elapsed_s = 0.0;
  std::optional<double> fraction;
  std::optional<double> median_ns;
  std::optional<double> best_median_ns;
  std::string configuration;
  std::string status;
  std::string text;
};

/// A queue of the events of a tuning, from its thread to the program. An event of progress replaces one that
/// waits directly before it. Beyond `kMaxKept` events the oldest are dropped.
class TuningEvents : public tuner::session::SessionListener {
 public:
  static constexpr std::size_t kMaxKept = 65536;

  /// For the thread of the tuning.
  void on_event(const tuner::session::SessionEvent& event) override;
  void end();

  /// For the program: waits for the next event, at most `timeout_s` seconds, or without a limit if that is
  /// negative. Returns an event of kind WARPTUNE_EVENT_NONE if none came. When the tuning has ended and no
  /// event waits, every call returns WARPTUNE_EVENT_ENDED.
  TuningEvent next(double timeout_s);

 private:
  std::optional<TuningEvent> converted(const tuner::session::SessionEvent& event);
  void add(TuningEvent event);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<TuningEvent> waiting_;
  bool has_ended_ = false;
  TuningEvent progress_;  ///< The last numbers. Used by the tuning's thread alone until the end.
};

}  // namespace warptune::library::tuning
