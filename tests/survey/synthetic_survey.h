// Invented surveys for tests and benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey::testing {

/// A survey of an invented program that trains a network: two processes with a GPU each, two streams and two
/// threads in each process, 40 kernels. Each launch has its call, each 40th launch is followed by a copy and
/// each 200th by a fill, and NVTX ranges are nested three deep. Durations vary as those of real kernels do.
/// Work of one stream and calls of one thread never overlap. The same numbers give the same survey.
records::Survey synthetic_survey(std::size_t launches, std::uint32_t seed = 1);

/// A survey with few rows that has each kind of row, all members with unusual values, and names with markup,
/// quotes and bytes that are not ASCII.
records::Survey small_survey();

}  // namespace warptune::survey::testing
