#pragma once

#include "survey/analysis/findings/finding_rule.h"

// The only list of findings, in the order of docs/survey.md. A finding is a line here and the function
// NAME_finding() in a file of this folder. A line without its function does not link. A function without its
// line fails a test.
#define WARPTUNE_FINDINGS(FINDING)      \
  FINDING(pageable_copies)              \
  FINDING(small_copies)                 \
  FINDING(redundant_copies)             \
  FINDING(copy_bound)                   \
  FINDING(host_waits)                   \
  FINDING(idle_gaps)                    \
  FINDING(launch_bound)                 \
  FINDING(allocation_in_loop)           \
  FINDING(module_load_in_loop)          \
  FINDING(serial_streams)               \
  FINDING(serialised_by_default_stream) \
  FINDING(serial_kernels)               \
  FINDING(low_occupancy_grid)           \
  FINDING(slow_kernel)

namespace warptune::survey::analysis::findings {

#define WARPTUNE_DECLARED(name) FindingRule name##_finding();
WARPTUNE_FINDINGS(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

}  // namespace warptune::survey::analysis::findings
