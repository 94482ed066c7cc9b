// The rate of the link between a host and its GPU, by theory.
#pragma once

#include <optional>

#include "model/gpu_description.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {

/// The theoretical rate of one direction of the link, in bytes per second, or std::nullopt if it is unknown.
/// It is that of 16 lanes of PCI Express. GPUs of compute capability 7.x have generation 3 (15.75 GB/s),
/// those of 8.x have 4 (31.5 GB/s), and those of 9.x, 10.x and 12.x have 5 (63.0 GB/s). These are 8, 16 and
/// 32 GT/s for each lane with 128 of 130 bits used (PCI Express Base Specification 5.0, section 4.2.2).
/// Superchips such as GH200 have 450 GB/s (NVIDIA GH200 datasheet: 900 GB/s in both directions together). A
/// slot with fewer lanes or of an earlier generation is slower.
std::optional<double> host_link_bytes_per_s(const model::GpuDescription& gpu);

/// Whether a copy goes through the host link.
bool uses_host_link(records::CopyDirection direction);

/// The kind of the host's memory that a copy reads or writes. `kUnknown` if the copy does not use the link.
records::MemoryKind host_memory_of(records::CopyDirection direction, records::MemoryKind source,
                                   records::MemoryKind destination);

}  // namespace warptune::survey::analysis
