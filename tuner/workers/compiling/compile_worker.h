#pragma once

#include <cstdint>

#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::compiling {

/// A compile worker's answer: `Compiled` or `Rejected`. `memory_bytes` is what the process may hold, for what
/// is said where that is too little.
protocol::Message answer_compile(const protocol::Compile& message, std::uint64_t memory_bytes);

}  // namespace warptune::tuner::workers::compiling
