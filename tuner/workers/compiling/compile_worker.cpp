#include "tuner/workers/compiling/compile_worker.h"

#include <new>
#include <utility>

#include "kernel_templates/compiler.h"

namespace warptune::tuner::workers::compiling {

protocol::Message answer_compile(const protocol::Compile& message, std::uint64_t memory_bytes) {
  try {
    model::Outcome<kernel_templates::CompiledKernel> outcome = kernel_templates::compile(message.request);
    if (outcome) return protocol::Compiled{std::move(*outcome)};
    return protocol::Rejected{std::move(outcome.error())};
  } catch (const std::bad_alloc&) {
    return protocol::Rejected{kernel_templates::out_of_memory(memory_bytes)};
  }
}

}  // namespace warptune::tuner::workers::compiling
