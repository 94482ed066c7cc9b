#include "base/exit_codes.h"

namespace warptune::base {

namespace {

constexpr ExitCodeInfo kExitCodes[] = {
    {ExitCode::kDone, "done", "The work is done."},
    {ExitCode::kWorkFailed, "the work failed",
     "The work failed: no configuration is valid, nothing is known, or a check did not hold."},
    {ExitCode::kBadInput, "bad input",
     "The command line, a definition or a file is wrong. The message says where, and what was expected."},
    {ExitCode::kMachineCannot, "this machine cannot do it",
     "This machine cannot do it: it has no GPU, no permission to read counters, or no room on a disk. The "
     "message "
     "says what to do."},
    {ExitCode::kInterrupted, "interrupted",
     "The program was interrupted. Everything that was finished is kept."},
};

}  // namespace

std::span<const ExitCodeInfo> exit_codes() { return kExitCodes; }

}  // namespace warptune::base
