#pragma once

#include "profiling/diagnosis/rules.h"

// The only list of rules, in the order of docs/diagnosis.md. A rule is a line here and the function
// NAME_rule() in a file of this folder. A line without its function does not link. A function without its
// line fails a test.
#define WARPTUNE_RULES(RULE)       \
  RULE(dram_bound)                 \
  RULE(excess_dram_traffic)        \
  RULE(uncoalesced_loads)          \
  RULE(uncoalesced_stores)         \
  RULE(shared_bank_conflicts)      \
  RULE(shared_memory_bound)        \
  RULE(l2_bound)                   \
  RULE(atomic_contention)          \
  RULE(register_spills)            \
  RULE(local_array)                \
  RULE(shared_as_cache)            \
  RULE(occupancy_by_registers)     \
  RULE(occupancy_by_shared_memory) \
  RULE(occupancy_by_block_size)    \
  RULE(occupancy_by_blocks)        \
  RULE(occupancy_suffices)         \
  RULE(short_blocks)               \
  RULE(uneven_work)                \
  RULE(partial_warp)               \
  RULE(divergence)                 \
  RULE(predication)                \
  RULE(latency_bound)              \
  RULE(tail)                       \
  RULE(small_grid)                 \
  RULE(launch_bound)               \
  RULE(barrier_stalls)             \
  RULE(instruction_cache)          \
  RULE(compute_bound)              \
  RULE(double_precision)           \
  RULE(integer_division)           \
  RULE(transcendental_pipe)        \
  RULE(tensor_cores_idle)

namespace warptune::profiling::diagnosis::rules {

#define WARPTUNE_DECLARED(name) Rule name##_rule();
WARPTUNE_RULES(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

}  // namespace warptune::profiling::diagnosis::rules
