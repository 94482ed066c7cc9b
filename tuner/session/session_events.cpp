#include "tuner/session/session_events.h"

#include <fmt/format.h>

namespace warptune::tuner::session {

std::string FinalistImprecise::message() const {
  return fmt::format(
      "the outputs of {} differ more from the reference than those of the other finalists, but stay within "
      "the tolerance. Their largest error is {:.3g}; the median of the others' largest errors is {:.3g}",
      model::to_text(configuration), error, median_error);
}

}  // namespace warptune::tuner::session
