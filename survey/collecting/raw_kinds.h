// CUPTI's numbers of kinds as those of a survey.
#pragma once

#include <cstdint>

#include "survey/collecting/raw_stream.h"
#include "survey/records/survey.h"

namespace warptune::survey::collecting {

records::CallKind kind_of(CallPurpose purpose);
/// The direction of a `CUpti_ActivityMemcpyKind`. An array counts as the device's memory.
records::CopyDirection direction_of(std::uint32_t kind);
/// The kind of a `CUpti_ActivityMemoryKind`.
records::MemoryKind memory_kind_of(std::uint32_t kind);

}  // namespace warptune::survey::collecting
