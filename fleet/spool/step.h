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

/// Is called before each step of this process, if it is not null. Tests end the process here, or do the call
/// themselves, as a lost reply of a file server would look.
using StepHook = void (*)(const Step&);
void set_step_hook(StepHook hook);
void before_step(const Step& step);

}  // namespace warptune::fleet::spool
