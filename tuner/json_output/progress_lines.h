#pragma once

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tuner/session/session_events.h"

namespace warptune::tuner::json_output {

/// One event of a session as a JSON object: the members of `json_head`, the name of the event in `event`, and
/// the event's own members.
nlohmann::ordered_json event_json(const session::SessionEvent& event);

/// Writes the events of a session to `stream`, each as one line of JSON (`--progress json`). Each
/// evaluation causes a `progress` event, but at most ten of them a second are written. The last one before
/// another event, and before the end, is always written.
class ProgressLines : public session::SessionListener {
 public:
  explicit ProgressLines(std::FILE* stream) : stream_(stream) {}
  ~ProgressLines() override { write_last(); }

  void on_event(const session::SessionEvent& event) override;

 private:
  void write(const session::SessionEvent& event);
  // Writes the progress that was held back.
  void write_last();

  std::FILE* stream_;
  std::optional<session::SessionProgress> last_;
  std::chrono::steady_clock::time_point written_{};
};

}  // namespace warptune::tuner::json_output
