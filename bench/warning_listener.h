#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <variant>

#include "tuner/session/session_events.h"

namespace warptune::bench {

/// Prints the warnings of a session on standard error, and no other events.
class WarningListener : public tuner::session::SessionListener {
 public:
  void on_event(const tuner::session::SessionEvent& event) override {
    if (const auto* warning = std::get_if<tuner::session::SessionWarning>(&event))
      fmt::print(stderr, "{}\n", warning->text);
  }
};

}  // namespace warptune::bench
