// A GPU of the raw stream as one of a survey.
#pragma once

#include <string>

#include "survey/collecting/raw_stream.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting {

/// The limit of a block's shared memory with opt-in is not in the stream. It comes from the compute
/// capability.
records::Device device_of(const RawDevice& raw, const std::string& name);

}  // namespace warptune::survey::collecting
