#pragma once

#include <cstddef>
#include <cstdint>

namespace warptune::tuner::workers::compiling {

/// Returns the memory that processes may still take, in bytes. It is the minimum of MemAvailable in
/// /proc/meminfo and the memory that the control group (v2 or v1) leaves. 0 when neither can be read.
std::uint64_t available_memory_bytes();

/// Returns the number of compile workers: one for each core that this process may use, but at most one for
/// each GiB of available memory, and at least 1.
std::size_t default_compile_workers();

/// The limit of data (RLIMIT_DATA) of one of `workers` compile workers, in bytes. It is the worker's share of
/// half of the available memory, or 4 GiB if the share is smaller. It never exceeds half of the available
/// memory. 0: no limit.
std::uint64_t compile_memory_limit(std::size_t workers);

}  // namespace warptune::tuner::workers::compiling
