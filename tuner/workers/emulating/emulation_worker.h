#pragma once

#include "tuner/confinement/sandbox.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::emulating {

/// What a worker in `sandbox` answers: it compiles and runs the program in its scratch folder. Throws
/// `base::InternalError` if the sandbox has no C++ compiler.
protocol::Message answer_emulate(const protocol::Emulate& message, const confinement::Sandbox& sandbox);

}  // namespace warptune::tuner::workers::emulating
