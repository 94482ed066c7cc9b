#pragma once

#include <cstddef>
#include <cstdint>

namespace warptune::tuner::workers::compiling {

/// Bytes that processes may still take: MemAvailable of /proc/meminfo, or what the control group (v2 or v1)
/// leaves where that is less. 0 when neither can be read.
std::uint64_t available_memory_bytes();

/// One compile worker a core this process may run on, but no more than one for each GiB of available memory;
/// at least 1.
std::size_t default_compile_workers();

/// The most data (RLIMIT_DATA, bytes) that one of `workers` compile workers may hold: its share of half of
/// the available memory; 4 GiB where that is less, but never more than half of what is available. 0: no
/// limit.
std::uint64_t compile_memory_limit(std::size_t workers);

}  // namespace warptune::tuner::workers::compiling
