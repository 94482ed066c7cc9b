#include "tuner/workers/emulating/emulation_worker.h"

#include "base/error.h"
#include "kernel_templates/emulation/host_compiler.h"

namespace warptune::tuner::workers::emulating {

protocol::Message answer_emulate(const protocol::Emulate& message, const confinement::Sandbox& sandbox) {
  if (sandbox.host_compiler.empty())
    throw base::InternalError("a worker without a C++ compiler received the message `emulate`");
  return protocol::Emulated{
      kernel_templates::emulation::compile_and_run(message.files, sandbox.scratch, sandbox.host_compiler)};
}

}  // namespace warptune::tuner::workers::emulating
