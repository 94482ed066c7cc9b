#include "fleet/spool/step.h"

#include <atomic>

namespace warptune::fleet::spool {

namespace {

std::atomic<StepHook> step_hook = nullptr;

}  // namespace

void set_step_hook(StepHook hook) { step_hook = hook; }

void before_step(const Step& step) {
  if (const StepHook hook = step_hook) hook(step);
}

}  // namespace warptune::fleet::spool
