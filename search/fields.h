#pragma once

#include "search/gpu_description.h"
#include "search/measurement.h"
#include "search/roof_reading.h"

/// The one list of the members that are stored and sent by name. `visit(name, member)` is called for each, in
/// order; the object may be constant (to write) or not (to read).
namespace warptune::search {

template <class Gpu, class Visit>
void visit_gpu_fields(Gpu& gpu, Visit&& visit) {
  visit("name", gpu.name);
  visit("compute_major", gpu.compute_major);
  visit("compute_minor", gpu.compute_minor);
  visit("sm_count", gpu.sm_count);
  visit("l2_bytes", gpu.l2_bytes);
  visit("memory_bytes", gpu.memory_bytes);
  visit("memory_bandwidth_bytes_per_s", gpu.memory_bandwidth_bytes_per_s);
  visit("max_clock_khz", gpu.max_clock_khz);
  visit("ecc", gpu.ecc);
  visit("mig", gpu.mig);
  visit("max_threads_per_block", gpu.max_threads_per_block);
  visit("max_threads_per_sm", gpu.max_threads_per_sm);
  visit("max_blocks_per_sm", gpu.max_blocks_per_sm);
  visit("registers_per_sm", gpu.registers_per_sm);
  visit("shared_bytes_per_block", gpu.shared_bytes_per_block);
  visit("shared_bytes_per_block_optin", gpu.shared_bytes_per_block_optin);
  visit("shared_bytes_per_sm", gpu.shared_bytes_per_sm);
  visit("warp_size", gpu.warp_size);
  visit("chip", gpu.chip);
}

template <class Described, class Visit>
void visit_environment_fields(Described& environment, Visit&& visit) {
  visit("warptune_version", environment.warptune_version);
  visit("driver_version", environment.driver_version);
  visit("nvrtc_version", environment.nvrtc_version);
  visit("sm_clock_mhz", environment.sm_clock_mhz);
  visit("memory_clock_mhz", environment.memory_clock_mhz);
  visit("throttle_reasons", environment.throttle_reasons);
}

/// Two of these names are older than the others: `memory_bytes_per_s` is the copy, `fp32_flops_per_s` the
/// theory.
template <class Ceilings, class Visit>
void visit_roof_fields(Ceilings& roofs, Visit&& visit) {
  visit("memory_bytes_per_s", roofs.copy_bytes_per_s);
  visit("fp32_flops_per_s", roofs.fp32_theory_flops_per_s);
  visit("read_bytes_per_s", roofs.read_bytes_per_s);
  visit("fp32_measured_flops_per_s", roofs.fp32_flops_per_s);
  visit("fp64_flops_per_s", roofs.fp64_flops_per_s);
  visit("tensor_flops_per_s", roofs.tensor_flops_per_s);
}

template <class Reading, class Visit>
void visit_roof_reading_fields(Reading& reading, Visit&& visit) {
  visit("name", reading.name);
  visit("value", reading.value);
  visit("relative_spread", reading.relative_spread);
  visit("sm_clock_mhz", reading.sm_clock_mhz);
  visit("time_stamp_ms", reading.time_stamp_ms);
  visit("driver_version", reading.driver_version);
}

template <class Resources, class Visit>
void visit_resource_fields(Resources& use, Visit&& visit) {
  visit("registers_per_thread", use.registers_per_thread);
  visit("static_shared_bytes", use.static_shared_bytes);
  visit("dynamic_shared_bytes", use.dynamic_shared_bytes);
  visit("local_bytes", use.local_bytes);
  visit("threads_per_block", use.threads_per_block);
  visit("blocks", use.blocks);
  visit("blocks_per_sm", use.blocks_per_sm);
  visit("theoretical_occupancy", use.theoretical_occupancy);
}

}  // namespace warptune::search
