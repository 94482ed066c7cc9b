// A search that learns would choose better if it was asked later, with more results. Rules that ask later
// were tried. docs/notes/search-experiments.md says what they gain and lose.
#include "tuner/evaluation/ask_ahead.h"

namespace warptune::tuner::evaluation {

std::size_t wanted_ahead(std::size_t compile_workers, std::size_t gpus, std::size_t pending) {
  const std::size_t needed = 2 * compile_workers + 4 * gpus;
  return needed > pending ? needed - pending : 0;
}

}  // namespace warptune::tuner::evaluation
