#pragma once

namespace warptune::fleet::spool {

/// A system call that is about to change a spool. `from` and `to` are names within open folders; what a call
/// does not have is null or -1.
struct Step {
  const char* call;
  int from_folder = -1;
  const char* from = nullptr;
  int to_folder = -1;
  const char* to = nullptr;
};

/// Is called before each step of this process, if it is not null. Returns the `errno` with which the step
/// fails, or 0. Tests end the process here, let the step fail, or do the call themselves, which looks like a
/// file server whose reply was lost.
using StepHook = int (*)(const Step&);
void set_step_hook(StepHook hook);
/// Calls the hook. Returns whether the step fails; `errno` says why.
bool step_fails(const Step& step);

}  // namespace warptune::fleet::spool
