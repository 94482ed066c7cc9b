#include "fleet/spool/step.h"

#include <atomic>
#include <cerrno>

namespace warptune::fleet::spool {

namespace {

std::atomic<StepHook> step_hook = nullptr;

}  // namespace

void set_step_hook(StepHook hook) { step_hook = hook; }

bool step_fails(const Step& step) {
  const StepHook hook = step_hook;
  const int reason = hook ? hook(step) : 0;
  if (reason != 0) errno = reason;
  return reason != 0;
}

}  // namespace warptune::fleet::spool
