#include "tuner/session/session_events.h"

#include <fmt/format.h>

namespace warptune::tuner::session {

std::string FinalistImprecise::message() const {
  return fmt::format(
      "{} is farther from the reference than the other finalists, but within the tolerance. Its largest "
      "error is {:.3g}; the median of the others' largest is {:.3g}",
      model::to_text(configuration), error, median_error);
}

}  // namespace warptune::tuner::session
