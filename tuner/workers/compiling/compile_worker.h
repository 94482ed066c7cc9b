#pragma once

#include <cstdint>

#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::compiling {

/// A compile worker's answer: `Compiled` or `Rejected`. `memory_bytes` is the memory limit of the process. It
/// appears in the reason if the memory does not suffice.
protocol::Message answer_compile(const protocol::Compile& message, std::uint64_t memory_bytes);

}  // namespace warptune::tuner::workers::compiling
