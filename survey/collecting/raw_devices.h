// A GPU of the raw stream as one of a survey.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "survey/collecting/raw_stream.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting {

/// The limit of a block's shared memory with opt-in is not in the stream. It comes from the compute
/// capability.
records::Device device_of(const RawDevice& raw, const std::string& name);

/// The number of a GPU as `nvidia-smi -L` prints it, or an empty text if it is unknown.
std::string uuid_text(const std::array<std::uint8_t, 16>& bytes, bool is_mig);

}  // namespace warptune::survey::collecting
